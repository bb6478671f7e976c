// SPDX-License-Identifier: BSD-3-Clause
// What the kernels that read tables guarantee on random columns: no undefined behavior, and the positions,
// cells, counts and codes that a plain search gives.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_columns();

}  // namespace bayesieve_test
