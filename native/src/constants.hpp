// Constants that the two builds of the kernels share.
#pragma once
#include <cstdint>

namespace bayesieve {

// A product of a belief and a ratio is off by less than 5 units in the last place: closer calls are left
// open.
constexpr std::int32_t kErrorBand = 8;
constexpr double kLn2 = 0.693147180559945309417232121458;

}  // namespace bayesieve
