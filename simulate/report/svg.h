// Line charts, one below the other, as one SVG document that needs nothing else. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cox::simulate {

using Points = std::vector<std::pair<double, double>>;  // by x, ascending

struct ChartLine {
  std::string name;
  Points points;
  bool dashed = false;  // beside the line before it, and of its colour
};

struct Chart {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<ChartLine> lines;  // as many that are not dashed as there are colours
  bool x_logarithmic = false;    // of 1 + x
};

// A value that holds until the next: a line of steps, no finer than can be seen. Where many fall
// on one place the highest is drawn, so that no peak is lost.
Points steps(const Points& changes);

std::string svg_document(const std::string& title, const std::vector<Chart>& charts);

}  // namespace cox::simulate
