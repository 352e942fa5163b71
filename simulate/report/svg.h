// Line charts, one below the other, as one self-contained SVG document. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace cox::simulate {

using Points = std::vector<std::pair<double, double>>;  // by x, ascending

struct ChartLine {
  std::string name;
  Points points;
  bool dashed = false;  // drawn dashed, in the colour of the line before it
};

struct Chart {
  std::string title;
  std::string x_name;
  std::string y_name;
  std::vector<ChartLine> lines;  // no more undashed lines than there are colours (svg.cpp)
  bool x_logarithmic = false;    // the x axis shows log(1 + x)
};

// Turns values that hold until the next one into a line of steps that is no finer than visible. Of
// several values in one place it draws the highest, so that no peak is lost.
Points steps(const Points& changes);

std::string svg_document(const std::string& title, const std::vector<Chart>& charts);

}  // namespace cox::simulate
