#include "simulate/report/svg.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "common/base/check.h"
#include "common/base/text.h"

namespace cox::simulate {
namespace {

constexpr double width = 960;
constexpr double height = 260;  // of one chart
constexpr double left = 70;
constexpr double right = 20;
constexpr double top = 40;
constexpr double bottom = 45;
constexpr double title_height = 40;
constexpr std::size_t steps_max = 1'200;
constexpr std::array colours = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                "#ff7f0e", "#8c564b", "#17becf"};

std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

// Rounds a coordinate: more digits are invisible and make the file larger.
std::string tenths(double place) {
  return number(std::round(10 * place) / 10);
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '&': out += "&amp;"; break;
      case '"': out += "&quot;"; break;
      default: out += c;
    }
  }
  return out;
}

// Returns the distance between marks of an axis that spans `span`: 1, 2 or 5 times a power of ten
// that gives at least four marks.
double mark_distance(double span) {
  const double raw = span / 8;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

// Converts values of a chart to coordinates in the SVG document.
class Axes {
 public:
  Axes(const Chart& chart, double above) : logarithmic_(chart.x_logarithmic), above_(above) {
    for (const ChartLine& line : chart.lines) {
      for (const auto& [x, y] : line.points) {
        x_min_ = std::min(x_min_, x);
        x_max_ = std::max(x_max_, x);
        y_max_ = std::max(y_max_, y);
      }
    }
    x_max_ = std::max(x_max_, x_min_ + 1);
  }

  double x(double value) const {
    return left + (along(value) - along(x_min_)) / (along(x_max_) - along(x_min_)) * inner_width();
  }
  double y(double value) const {
    return above_ + height - bottom - value / y_max_ * inner_height();
  }

  std::vector<double> x_marks() const {
    std::vector<double> marks;
    if (logarithmic_) {
      for (double mark = 1; mark <= x_max_; mark *= 10) marks.push_back(mark);
      return marks;
    }
    const double distance = mark_distance(x_max_ - x_min_);
    for (double mark = std::ceil(x_min_ / distance) * distance; mark <= x_max_; mark += distance)
      marks.push_back(mark);
    return marks;
  }
  std::vector<double> y_marks() const {
    std::vector<double> marks;
    const double distance = mark_distance(y_max_);
    for (double mark = 0; mark <= y_max_; mark += distance) marks.push_back(mark);
    return marks;
  }

 private:
  static double inner_width() { return width - left - right; }
  static double inner_height() { return height - top - bottom; }
  double along(double value) const { return logarithmic_ ? std::log10(1 + value) : value; }

  bool logarithmic_;
  double above_;
  double x_min_ = 0;
  double x_max_ = 0;
  double y_max_ = 1e-9;
};

std::string text_at(double x, double y, const std::string& anchor, const std::string& text) {
  return "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" +
         escaped(text) + "</text>\n";
}

std::string grid(const Chart& chart, const Axes& axes, double above) {
  std::string out;
  const double base = above + height - bottom;
  for (const double mark : axes.y_marks()) {
    const std::string y = number(axes.y(mark));
    out += "<line x1=\"" + number(left) + "\" y1=\"" + y + "\" x2=\"" + number(width - right) +
           "\" y2=\"" + y + "\" stroke=\"#ddd\"/>\n";
    out += text_at(left - 8, axes.y(mark) + 4, "end", number(mark));
  }
  for (const double mark : axes.x_marks()) {
    const std::string x = number(axes.x(mark));
    out += "<line x1=\"" + x + "\" y1=\"" + number(base) + "\" x2=\"" + x + "\" y2=\"" +
           number(base + 5) + "\" stroke=\"#888\"/>\n";
    out += text_at(axes.x(mark), base + 18, "middle", number(mark));
  }
  out += text_at(width - right, base + 36, "end", chart.x_name);
  out += text_at(left - 40, above + top - 10, "start", chart.y_name);
  out += "<text x=\"" + number(width / 2) + "\" y=\"" + number(above + 20) +
         "\" text-anchor=\"middle\" font-weight=\"bold\">" + escaped(chart.title) + "</text>\n";
  return out;
}

std::string drawn(const Chart& chart, double above) {
  const Axes axes(chart, above);
  std::string out = grid(chart, axes, above);
  std::size_t i = 0;  // index of the line's colour
  for (const ChartLine& line : chart.lines) {
    if (line.dashed) --i;
    CHECK(i < colours.size());
    const std::string colour = colours[i];
    out += "<polyline fill=\"none\" stroke-width=\"1.5\" stroke=\"" + colour + "\"";
    if (line.dashed) out += " stroke-dasharray=\"5 4\"";
    out += " points=\"";
    for (const auto& [x, y] : line.points) out += tenths(axes.x(x)) + "," + tenths(axes.y(y)) + " ";
    out += "\"/>\n<g fill=\"" + colour + "\">";
    out +=
        text_at(width - right - 120.0 * static_cast<double>(i), above + top - 10, "end", line.name);
    out += "</g>\n";
    ++i;
  }
  return out;
}

}  // namespace

Points steps(const Points& changes) {
  if (changes.empty()) return {};
  const double first = changes.front().first;
  const double span = std::max(changes.back().first - first, 1e-9);
  Points highest;  // one per place
  for (const auto& [x, y] : changes) {
    const double place =
        first + std::floor((x - first) / span * steps_max) * span / static_cast<double>(steps_max);
    if (!highest.empty() && highest.back().first == place) {
      highest.back().second = std::max(highest.back().second, y);
    } else {
      highest.emplace_back(place, y);
    }
  }
  Points line;
  for (const auto& [x, y] : highest) {
    if (!line.empty()) line.emplace_back(x, line.back().second);
    line.emplace_back(x, y);
  }
  return line;
}

std::string svg_document(const std::string& title, const std::vector<Chart>& charts) {
  const double all = title_height + height * static_cast<double>(charts.size());
  std::string out = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + number(width) +
                    " " + number(all) + "\" font-family=\"sans-serif\" font-size=\"12\">\n";
  out += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  out += text_at(width / 2, 24, "middle", title);
  for (std::size_t i = 0; i < charts.size(); ++i)
    out += drawn(charts[i], title_height + height * static_cast<double>(i));
  return out + "</svg>\n";
}

}  // namespace cox::simulate
