// SPDX-License-Identifier: BSD-3-Clause
// Numbers of delimited text: random bytes stay within bounds, and numbers that are written are read back.
#pragma once

namespace bayesieve_test {

// Prints each fault; returns how many there are.
int check_text();

}  // namespace bayesieve_test
