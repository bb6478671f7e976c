// SPDX-License-Identifier: BSD-3-Clause
#include "leads.hpp"

#include <algorithm>
#include <limits>

namespace bayesieve {
namespace {

constexpr std::int64_t kMostAdded = 32000;  // steps: a lead that was cut to 16 bits cannot be turned

std::size_t words_of(const Segment& segment, int y) {
    return (segment.class_begin[y + 1] - segment.class_begin[y] + 63) / 64;
}

}  // namespace

bool ErrorLeads::serve(const Segment& segment) {
    return kernels().scan_leads != nullptr && segment.weights.empty() &&
           segment.n_classes - 1 <= kMostLeads &&
           std::all_of(segment.columns.begin(), segment.columns.end(), [](const CodeColumn& column) {
               return column.narrow != nullptr && column.n_used <= 2;
           });
}

void ErrorLeads::build(const Segment& segment) {
    const int n_classes = segment.n_classes;
    first_word_.assign(n_classes + 1, 0);
    for (int y = 0; y < n_classes; ++y) {
        first_word_[y + 1] = first_word_[y] + words_of(segment, y);
        // Rows of the padding are never wrong.
        leads_.emplace_back((n_classes - 1) * words_of(segment, y) * 64,
                            std::numeric_limits<std::int16_t>::min());
    }
    const std::size_t words = first_word_[n_classes];
    bits_.resize(segment.columns.size() * words);
    std::int64_t largest = 0;
    std::vector<std::uint64_t> planes;
    for (std::size_t j = 0; j < segment.columns.size(); ++j) {
        const CodeColumn& column = segment.columns[j];
        for (int y = 0; y < n_classes; ++y) {
            const std::size_t first = segment.class_begin[y], n = words_of(segment, y);
            planes.resize(2 * n);
            kernels().fill_planes(column.narrow + first, segment.class_begin[y + 1] - first, 2, n,
                                  planes.data());
            std::copy_n(planes.data() + n, n, bits_.data() + j * words + first_word_[y]);
        }
        for (int v = 0; v < column.n_used; ++v) {
            const auto range =
                std::minmax_element(column.table + v * n_classes, column.table + (v + 1) * n_classes);
            largest = std::max(largest, *range.second - *range.first);
        }
    }
    while (largest >> step_bits_ > kMostAdded - 2) ++step_bits_;
    tables_.resize(segment.columns.size() * n_classes);
    for (std::size_t j = 0; j < segment.columns.size(); ++j)
        for (int y = 0; y < n_classes; ++y)
            write_steps(segment.columns[j].table, segment.columns[j].n_used, n_classes, y,
                        tables_[j * n_classes + y]);
}

void ErrorLeads::refresh(const Segment& segment, const std::vector<std::int64_t>& evidence) {
    for (int y = 0; y < segment.n_classes; ++y) {
        const std::size_t first = segment.class_begin[y], rows = segment.class_begin[y + 1] - first;
        std::int16_t* out = leads_[y].data();
        for (int c = 0; c < segment.n_classes; ++c) {
            if (c == y) continue;
            kernels().leads(evidence.data() + c * segment.n_rows + first,
                            evidence.data() + y * segment.n_rows + first, step_bits_, rows, out);
            out += words_of(segment, y) * 64;
        }
    }
}

LeadBlock ErrorLeads::rows(int y) const {
    return {leads_[y].data(), (first_word_[y + 1] - first_word_[y]) * 64,
            static_cast<int>(leads_.size()) - 1};
}

bool ErrorLeads::write_steps(const std::int64_t* added, int n_used, int n_classes, int y, Table& out) const {
    out.fill(0);
    bool fits = true;
    for (int v = 0; v < n_used; ++v)
        for (int c = 0, m = 0; c < n_classes; ++c) {
            if (c == y) continue;
            const std::int64_t units = added[v * n_classes + c] - added[v * n_classes + y] + (c < y ? 1 : 0);
            const std::int64_t steps = units >> step_bits_;
            fits = fits && -kMostAdded <= steps && steps <= kMostAdded;
            out[2 * m++ + v] = static_cast<std::int16_t>(std::clamp(steps, -kMostAdded, kMostAdded));
        }
    return fits;
}

bool ErrorLeads::find(const Segment& segment, const Change& change, int y, std::vector<std::int64_t>& scratch,
                      Table& room, LeadColumn& out) const {
    const int n_classes = segment.n_classes;
    out.bits = bits_.data() + change.column * first_word_[n_classes] + first_word_[y];
    out.table = tables_[change.column * n_classes + y].data();
    if (change.before == 0.0 && change.after == 1.0) return true;
    out.table = room.data();
    return write_steps(change_table(segment, change, scratch), segment.columns[change.column].n_used,
                       n_classes, y, room);
}

}  // namespace bayesieve
