// SPDX-License-Identifier: BSD-3-Clause
// Takes subnormal numbers for zero while it lives: they cost a hundred cycles each, and a scan does not see
// them.
#pragma once

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace bayesieve {
namespace {

class FlushSubnormals {
  public:
#if defined(__SSE2__)
    FlushSubnormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040); }
    ~FlushSubnormals() { _mm_setcsr(saved_); }

  private:
    unsigned saved_;
#else
    FlushSubnormals() {}
    ~FlushSubnormals() {}
#endif

  public:
    FlushSubnormals(const FlushSubnormals&) = delete;
    FlushSubnormals& operator=(const FlushSubnormals&) = delete;
};

}  // namespace
}  // namespace bayesieve
