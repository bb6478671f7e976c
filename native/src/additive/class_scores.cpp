// SPDX-License-Identifier: BSD-3-Clause
#include "class_scores.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "clip.hpp"

namespace bayesieve {
namespace {

constexpr double kNothing = -1e3;       // a logarithm of 0
constexpr std::size_t kStackRows = 64;  // at a time

// Numbers from the beginning of a cache line on, where kernels load eight at once.
template <typename Number>
class AlignedNumbers {
  public:
    void assign(std::size_t n, Number each) {
        lines_.resize((n + kPerLine - 1) / kPerLine);
        std::fill_n(data(), n, each);
    }
    Number* data() { return lines_.empty() ? nullptr : lines_.front().numbers; }

  private:
    static constexpr std::size_t kPerLine = 64 / sizeof(Number);
    struct alignas(64) Line {
        Number numbers[kPerLine];
    };
    std::vector<Line> lines_;
};

// Probabilities of rows, which are changed by multiplying them by factors. They are padded to a width of a
// multiple of four, as are sums per bin.
class ClassRows final : public FitRows {
  public:
    ClassRows(const AdditiveRows& rows, std::size_t n_classes)
        : rows_(rows),
          n_classes_(n_classes),
          width_((n_classes + 3) / 4 * 4),
          truth_((rows.n_bins() + 1) * width_),
          has_truth_(rows.n_columns + 1, 0) {
        probabilities_.assign(rows.n_rows * width_, 0.0);
    }

    void set(std::size_t begin, std::size_t n, double* z, const double*) override {
        for (std::size_t i = 0; i < n; ++i) {
            double *row = z + i * n_classes_, top = *std::max_element(row, row + n_classes_);
            for (std::size_t q = 0; q < n_classes_; ++q) row[q] = row[q] - top;
        }
        kernels().exponentials(n * n_classes_, z);
        double* p = probabilities_.data() + begin * width_;
        for (std::size_t i = 0; i < n; ++i) std::copy_n(z + i * n_classes_, n_classes_, p + i * width_);
        factors_.assign(width_, 1.0);
        visit(begin, n, rows_.n_columns, kNone);  // probabilities add up to 1
    }

    void set_change(std::size_t n_bins, const double* scores, const double*) override {
        factors_.assign(n_bins * width_, kNothing);
        for (std::size_t v = 0; v < n_bins; ++v)
            for (std::size_t q = 0; q < n_classes_; ++q)
                factors_.data()[v * width_ + q] = scores[v * n_classes_ + q] - kMostChange;
        kernels().exponentials(n_bins * width_, factors_.data());
    }

    void hold(std::size_t, std::size_t) override {}  // kernels have derivatives and sums in one loop
    void release() override {}

    void begin_sums(std::size_t summed) override {
        sums_.assign(2 * n_bins(summed) * width_, 0);
        counts_truth_ = has_truth_[summed] == 0;
    }

    void visit(std::size_t begin, std::size_t n, std::size_t changed, std::size_t summed) override {
        std::uint16_t rooms[2][kChunk];
        const ClassPass pass{changed == kNone ? nullptr : codes(changed, begin, n, rooms[0]), factors_.data(),
                             summed == kNone ? nullptr : codes(summed, begin, n, rooms[1]),
                             rows_.scale + begin, sums_.data()};
        if (pass.updated == nullptr && pass.summed == nullptr) return;
        kernels().class_rows(probabilities_.data() + begin * width_, width_, pass, n);
        if (summed != kNone && counts_truth_) count_truth(summed, pass.summed, begin, n);
    }

    const std::int64_t* end_sums(std::size_t summed) override {
        has_truth_[summed] = 1;
        const std::int64_t *truth = truth_of(summed), *own = sums_.data();
        derivatives_.resize(2 * n_bins(summed) * n_classes_);
        std::int64_t* out = derivatives_.data();
        for (std::size_t v = 0; v < n_bins(summed); ++v, own += 2 * width_, truth += width_)
            for (std::size_t q = 0; q < n_classes_; ++q, out += 2)
                out[0] = truth[q] - own[q], out[1] = own[width_ + q];
        return derivatives_.data();
    }

    const double* mass(std::size_t k) override {
        const std::int64_t* truth = truth_of(k);
        mass_.assign(n_bins(k), 0.0);
        for (std::size_t v = 0; v < mass_.size(); ++v)
            for (std::size_t q = 0; q < n_classes_; ++q)
                mass_[v] += static_cast<double>(truth[v * width_ + q]) * rows_.unit;
        return mass_.data();
    }

  private:
    std::size_t n_bins(std::size_t k) const { return k == rows_.n_columns ? 1 : rows_.n_bins(k); }
    std::int64_t* truth_of(std::size_t k) { return truth_.data() + rows_.first(k) * width_; }

    // Kernels take wide codes; narrow ones are widened in `room`.
    const std::uint16_t* codes(std::size_t k, std::size_t begin, std::size_t n, std::uint16_t* room) const {
        if (k == rows_.n_columns) {
            std::fill_n(room, n, std::uint16_t{0});
            return room;
        }
        const LaneCodes own = codes_of(rows_, k, begin);
        if (own.wide != nullptr) return own.wide;
        std::copy(own.narrow, own.narrow + n, room);
        return room;
    }

    // Weights of rows per bin and class, which no pass changes.
    void count_truth(std::size_t k, const std::uint16_t* codes, std::size_t begin, std::size_t n) {
        std::int64_t* own = truth_of(k);
        for (std::size_t i = 0; i < n; ++i) {
            const auto y = static_cast<std::size_t>(static_cast<std::int64_t>(rows_.target[begin + i]));
            own[codes[i] * width_ + y] += nearest_integer(rows_.scale[begin + i]);
        }
    }

    const AdditiveRows& rows_;
    std::size_t n_classes_, width_;
    AlignedNumbers<double> probabilities_, factors_;  // (n_rows, width), (n_bins, width)
    std::vector<double> mass_;                        // (n_bins)
    std::vector<std::int64_t> truth_;  // (bins of all columns + 1, width), and which columns have it
    std::vector<std::uint8_t> has_truth_;
    bool counts_truth_ = false;
    AlignedNumbers<std::int64_t> sums_;      // (n_bins, 2, width)
    std::vector<std::int64_t> derivatives_;  // (n_bins, n_classes, 2)
};

std::int64_t rounded_sum(const double* x) {
    std::int64_t total = 0;
    for (std::size_t i = 0; i < kStackRows; ++i) total += nearest_integer(x[i]);
    return total;
}

void multiply_add(const double* x, const double* y, double* out) {
    for (std::size_t i = 0; i < kStackRows; ++i) out[i] = out[i] + x[i] * y[i];
}

void transpose(const double* rows, std::size_t n, std::size_t n_classes, double* out) {
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t q = 0; q < n_classes; ++q) out[q * kStackRows + i] = rows[i * n_classes + q];
}

// Arrays are (n_classes, kStackRows), so that rows need not wait for each other, while each adds its classes
// up in their order. Rows beyond the last weigh nothing.
class ClassBatch final : public StackBatch {
  public:
    explicit ClassBatch(const StackRows& rows)
        : rows_(rows),
          p_(kStackRows * rows.n_scores),
          by_class_(kStackRows * rows.n_scores),
          scores_(kStackRows * rows.n_scores * rows.n_members),
          means_(kStackRows * rows.n_members) {}

    std::size_t most_rows() const override { return kStackRows; }

    void set(const double* a, const double* b, std::size_t begin, std::size_t n) override {
        begin_ = begin, n_ = n;
        const std::size_t n_classes = rows_.n_scores;
        const double scale = 1.0 / rows_.unit;
        for (std::size_t i = 0; i < n; ++i) std::copy_n(b, n_classes, p_.data() + i * n_classes);
        for (std::size_t j = 0; j < rows_.n_members; ++j) {
            const double* own = rows_.scores + (j * rows_.n_rows + begin) * n_classes;
            kernels().add_scaled(own, a[j], n * n_classes, p_.data());
            transpose(own, n, n_classes, scores_.data() + j * kStackRows * n_classes);
        }
        double own[kStackRows], top[kStackRows], log_totals[kStackRows];
        for (std::size_t i = 0; i < n; ++i) own[i] = p_[i * n_classes + class_of(i)];
        softmax(p_.data(), n, n_classes, top, log_totals);
        for (std::size_t i = 0; i < n; ++i) {
            const double weight = rows_.weights[begin + i];
            losses_[i] = weight * (log_totals[i] + (top[i] - own[i])) * scale;
            weights_[i] = weight * scale;
        }
        transpose(p_.data(), n, n_classes, by_class_.data());
        std::fill(weights_ + n, weights_ + kStackRows, 0.0),
            std::fill(losses_ + n, losses_ + kStackRows, 0.0);
    }

    std::int64_t loss() override { return rounded_sum(losses_); }

    std::int64_t intercept_slope(std::size_t q) override {
        double room[kStackRows];
        for (std::size_t i = 0; i < kStackRows; ++i) room[i] = p(q)[i] * weights_[i];
        std::int64_t total = -rounded_sum(room);
        for (std::size_t i = 0; i < n_; ++i)
            if (class_of(i) == q) total += nearest_integer(weights_[i]);
        return total;
    }

    std::int64_t intercept_curvature(std::size_t q) override {
        double room[kStackRows];
        for (std::size_t i = 0; i < kStackRows; ++i) {
            const double own = p(q)[i], rest = 2.0 * (1.0 - own);
            room[i] = own * (rest < 1.0 ? rest : 1.0) * weights_[i];
        }
        return rounded_sum(room);
    }

    void set_member(std::size_t j) override {
        member_ = j;
        std::fill_n(mean(j), kStackRows, 0.0);
        for (std::size_t q = 0; q < rows_.n_scores; ++q) multiply_add(p(q), scores(j, q), mean(j));
    }

    std::int64_t slope() override {
        std::int64_t total = 0;
        for (std::size_t i = 0; i < n_; ++i)
            total += nearest_integer((scores(member_, class_of(i))[i] - mean(member_)[i]) * weights_[i]);
        return total;
    }

    std::int64_t cross(std::size_t q) override {
        double room[kStackRows];
        const double *own = p(q), *score = scores(member_, q), *center = mean(member_);
        for (std::size_t i = 0; i < kStackRows; ++i) room[i] = own[i] * (score[i] - center[i]) * weights_[i];
        return rounded_sum(room);
    }

    std::int64_t curvature(std::size_t other) override {
        double square[kStackRows] = {}, room[kStackRows];
        for (std::size_t q = 0; q < rows_.n_scores; ++q) {
            const double *own = p(q), *score = scores(member_, q);
            for (std::size_t i = 0; i < kStackRows; ++i) room[i] = own[i] * score[i];
            multiply_add(room, scores(other, q), square);
        }
        const double *first = mean(member_), *second = mean(other);
        for (std::size_t i = 0; i < kStackRows; ++i)
            square[i] = (square[i] - first[i] * second[i]) * weights_[i];
        return rounded_sum(square);
    }

  private:
    const double* p(std::size_t q) const { return by_class_.data() + q * kStackRows; }
    const double* scores(std::size_t j, std::size_t q) const {
        return scores_.data() + (j * rows_.n_scores + q) * kStackRows;
    }
    double* mean(std::size_t j) { return means_.data() + j * kStackRows; }
    std::size_t class_of(std::size_t i) const { return static_cast<std::size_t>(rows_.target[begin_ + i]); }

    const StackRows& rows_;
    std::size_t begin_ = 0, n_ = 0, member_ = 0;
    std::vector<double> p_, by_class_, scores_, means_;
    double weights_[kStackRows], losses_[kStackRows];
};

// Makes the lead of one class over every other rise, or fall, from bin to bin.
void make_lead_monotone(const TableStep& step) {
    const std::size_t n = step.n_bins;
    std::vector<double> lead(n);
    for (std::size_t q = 0; q < step.n_scores; ++q) {
        if (q == step.lead) continue;
        const double* first = step.means + step.lead * n;
        double* other = step.means + q * n;
        for (std::size_t v = 0; v < n; ++v) lead[v] = first[v] - other[v];
        make_monotone(lead.data(), step.curvatures + q * n, step.first, n, step.monotone);
        for (std::size_t v = 0; v < n; ++v) other[v] = first[v] - lead[v];
    }
}

// Replaces means by changes, each class without one of its level; returns the largest.
double means_to_changes(const TableStep& step) {
    const std::size_t n = step.n_bins, n_classes = step.n_scores;
    double largest = 0.0;
    for (std::size_t q = 0; q < n_classes; ++q) {
        double *mean = step.means + q * n, level = 0.0;
        const double* H = step.curvatures + q * n;
        for (std::size_t v = 0; v < n; ++v) level += H[v] * (mean[v] - step.table[v * n_classes + q]);
        for (std::size_t v = 0; v < n; ++v) {
            mean[v] = mean[v] - step.table[v * n_classes + q] - level / step.totals[q];
            largest = std::max(largest, std::abs(mean[v]));
        }
    }
    return largest;
}

}  // namespace

std::unique_ptr<FitRows> Softmax::fit_rows(const AdditiveRows& rows, std::size_t n_scores, bool) const {
    return std::make_unique<ClassRows>(rows, n_scores);
}

std::unique_ptr<StackBatch> Softmax::stack_batch(const StackRows& rows) const {
    return std::make_unique<ClassBatch>(rows);
}

// Then centers scores over classes and over rows, which changes no probability.
double Softmax::move(const TableStep& step) const {
    const std::size_t n = step.n_bins, n_classes = step.n_scores;
    double *table = step.table, moved = 0.0, mass = 0.0;
    if (step.monotone != 0) make_lead_monotone(step);
    const double largest = means_to_changes(step);
    // A step that is cut bin by bin could break the order of a lead; one that is shorter cannot.
    const double length = step.monotone != 0 && largest > kMostChange ? kMostChange / largest : 1.0;
    const std::vector<double> before(table, table + n * n_classes);
    for (std::size_t v = 0; v < n; ++v) {
        double center = 0.0;
        for (std::size_t q = 0; q < n_classes; ++q) {
            double& entry = table[v * n_classes + q];
            const double after = to_fixed(entry + clip(step.means[q * n + v] * length, kMostChange));
            step.changes[v * n_classes + q] = after - entry;
            entry = after;
            center += after;
        }
        center = to_fixed(center / static_cast<double>(n_classes));
        for (std::size_t q = 0; q < n_classes; ++q) table[v * n_classes + q] -= center;
        mass += step.mass[v];
    }
    for (std::size_t q = 0; q < n_classes; ++q) {
        double level = 0.0;
        for (std::size_t v = 0; v < n; ++v) level += step.mass[v] * table[v * n_classes + q];
        level = to_fixed(level / mass);
        step.intercepts[q] += level;
        for (std::size_t v = 0; v < n; ++v) {
            table[v * n_classes + q] -= level;
            const double change = table[v * n_classes + q] - before[v * n_classes + q];
            moved += step.curvatures[q * n + v] * change * change;
        }
    }
    return moved;
}

// The mean probability of each class over the training rows becomes its share.
void Softmax::move_intercepts(std::size_t n_scores, const double* sums, double* intercepts,
                              double* changes) const {
    double center = 0.0;
    for (std::size_t q = 0; q < n_scores; ++q) {
        changes[q] = to_fixed(clip(sums[2 * q] / std::max(sums[2 * q + 1], 1.0), kMostChange));
        intercepts[q] += changes[q];
        center += intercepts[q];
    }
    center = to_fixed(center / static_cast<double>(n_scores));
    for (std::size_t q = 0; q < n_scores; ++q) intercepts[q] -= center;
}

// The sum over the classes that have evidence of an effect.
double Softmax::evidence(const double* factors, std::size_t n_scores) const {
    double total = 0.0;
    for (std::size_t q = 0; q < n_scores; ++q) total += std::max(factors[q], 0.0);
    return total;
}

void Softmax::row_losses(const double* scores, const double* target, std::size_t n, std::size_t n_scores,
                         double* losses) const {
    std::vector<double> z(kStackRows * n_scores);
    double top[kStackRows], log_totals[kStackRows];
    for (std::size_t begin = 0; begin < n; begin += kStackRows) {
        const std::size_t size = std::min(kStackRows, n - begin);
        const double* own = scores + begin * n_scores;
        std::copy_n(own, size * n_scores, z.data());
        softmax(z.data(), size, n_scores, top, log_totals);
        for (std::size_t i = 0; i < size; ++i) {
            const auto y = static_cast<std::size_t>(target[begin + i]);
            losses[begin + i] = log_totals[i] + (top[i] - own[i * n_scores + y]);
        }
    }
}

void Softmax::derivatives(const double* target, std::size_t n, std::size_t n_scores,
                          const DerivativeSteps& steps, const RowDerivatives& out) const {
    double behind[kChunk];  // the score of the class, below the largest
    const auto own_class = [&](std::size_t i) { return static_cast<std::size_t>(target[i]); };
    for (std::size_t i = 0; i < n; ++i) {
        double* z = out.scores + i * n_scores;
        const double top = *std::max_element(z, z + n_scores);
        behind[i] = top - z[own_class(i)];
        for (std::size_t q = 0; q < n_scores; ++q) z[q] = z[q] - top;
    }
    kernels().exponentials(n * n_scores, out.scores);
    for (std::size_t i = 0; i < n; ++i) {
        const double* e = out.scores + i * n_scores;
        std::int64_t *g = out.gradient + i * n_scores, *h = out.curvature + i * n_scores;
        double total = 0.0;
        for (std::size_t q = 0; q < n_scores; ++q) total += e[q];
        for (std::size_t q = 0; q < n_scores; ++q) {
            const double p = e[q] / total, rest = 2.0 * (1.0 - p);
            g[q] = nearest_integer(((q == own_class(i) ? 1.0 : 0.0) - p) * steps.gradient);
            h[q] = nearest_integer(p * (rest < 1.0 ? rest : 1.0) * steps.gradient);
        }
        const double own = log_positive(total) + behind[i];
        out.losses[i] = nearest_integer((own < kLargestLogOdds ? own : kLargestLogOdds) * steps.loss);
    }
}

void softmax(double* z, std::size_t n, std::size_t n_classes, double* top, double* log_totals) {
    for (std::size_t i = 0; i < n; ++i) {
        double* own = z + i * n_classes;
        top[i] = *std::max_element(own, own + n_classes);
        for (std::size_t q = 0; q < n_classes; ++q) own[q] = own[q] - top[i];
    }
    kernels().exponentials(n * n_classes, z);
    for (std::size_t i = 0; i < n; ++i) {
        double *own = z + i * n_classes, total = 0.0;
        for (std::size_t q = 0; q < n_classes; ++q) total += own[q];
        for (std::size_t q = 0; q < n_classes; ++q) own[q] = own[q] / total;
        log_totals[i] = log_positive(total);
    }
}

}  // namespace bayesieve
