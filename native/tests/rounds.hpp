// SPDX-License-Identifier: BSD-3-Clause
// How many random problems a check has: some each time, and all of them by `make nightly`, as in
// tests/draws.py.
#pragma once

#include <cstdlib>
#include <cstring>

namespace bayesieve_test {

inline int rounds(int few, int many) {
    const char* draws = std::getenv("BAYESIEVE_DRAWS");
    return draws != nullptr && std::strcmp(draws, "all") == 0 ? many : few;
}

}  // namespace bayesieve_test
