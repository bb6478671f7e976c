// SPDX-License-Identifier: BSD-3-Clause
#include "bayesieve/additive/losses.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <utility>
#include <vector>

#include "bayesieve/elementary.hpp"
#include "bayesieve/kernels/kernels.hpp"
#include "class_scores.hpp"
#include "clip.hpp"

namespace bayesieve {
namespace {

// Log loss of two classes, 0 and 1; the score is the log-odds of class 1.
class Logistic final : public ScoreLoss {
  public:
    void gradients(const double* scores, const double* variances, const double* target, const double* scale,
                   std::size_t n, std::int64_t* derivatives) const override {
        kernels().score_gradients(scores, variances, target, scale, n, derivatives);
    }

    void slopes(const double* scores, const double* target, std::size_t n, double* slope, double* curvature,
                double* losses) const override {
        double e[kChunk];
        exponentials(scores, n, e);
        for (std::size_t i = 0; i < n; ++i) {
            const double z = scores[i], likely = 1.0 / (1.0 + e[i]), curved = e[i] * likely * likely;
            slope[i] = target[i] - (z < 0.0 ? e[i] * likely : likely);
            curvature[i] = curved < 1e-6 ? 1e-6 : curved;
            losses[i] = loss_of(z, target[i], e[i]);
        }
    }

    void row_losses(const double* scores, const double* target, std::size_t n, std::size_t,
                    double* losses) const override {
        double e[kChunk];
        for (std::size_t begin = 0; begin < n; begin += kChunk) {
            const std::size_t end = std::min(n, begin + kChunk);
            exponentials(scores + begin, end - begin, e);
            for (std::size_t i = begin; i < end; ++i) {
                const double loss = loss_of(scores[i], target[i], e[i - begin]);
                losses[i] = scores[i] == scores[i] ? loss : scores[i];  // of NaN, NaN
            }
        }
    }

    void derivatives(const double* target, std::size_t n, std::size_t, const DerivativeSteps& steps,
                     const RowDerivatives& out) const override {
        kernels().pair_derivatives(out.scores, target, n, steps.gradient, steps.loss, out.gradient,
                                   out.curvature, out.losses);
    }

  private:
    static void exponentials(const double* scores, std::size_t n, double* e) {
        for (std::size_t i = 0; i < n; ++i) e[i] = scores[i] < 0.0 ? scores[i] : -scores[i];
        kernels().exponentials(n, e);
    }

    static double loss_of(double score, double target, double e) {
        const double against = target > 0.5 ? -score : score;
        return (against > 0.0 ? against : 0.0) + log_positive(1.0 + e);
    }
};

// An eighth of the squared error of a number, in half standard deviations of what is left; gradients are cut
// off.
class Squared final : public ScoreLoss {
    static constexpr double kCurvature = 0.25, kLargestGradient = 1024.0;
    static double gradient_of(double score, double target) {
        return clip(kCurvature * (target - score), kLargestGradient);
    }
    static double loss_of(double score, double target) {
        const double error = target - score;
        return 0.5 * kCurvature * error * error;
    }

  public:
    MostSteps most_steps() const override { return {2048.0, 2048.0}; }

    void gradients(const double* scores, const double*, const double* target, const double* scale,
                   std::size_t n, std::int64_t* derivatives) const override {
        for (std::size_t i = 0; i < n; ++i) {
            derivatives[2 * i] = nearest_integer(gradient_of(scores[i], target[i]) * scale[i]);
            derivatives[2 * i + 1] = nearest_integer(kCurvature * scale[i]);
        }
    }

    void slopes(const double* scores, const double* target, std::size_t n, double* slope, double* curvature,
                double* losses) const override {
        row_losses(scores, target, n, 1, losses);
        for (std::size_t i = 0; i < n; ++i) {
            slope[i] = gradient_of(scores[i], target[i]);
            curvature[i] = kCurvature;
        }
    }

    void row_losses(const double* scores, const double* target, std::size_t n, std::size_t,
                    double* losses) const override {
        for (std::size_t i = 0; i < n; ++i) losses[i] = loss_of(scores[i], target[i]);
    }

    void derivatives(const double* target, std::size_t n, std::size_t, const DerivativeSteps& steps,
                     const RowDerivatives& out) const override {
        for (std::size_t i = 0; i < n; ++i) {
            const double score = out.scores[i], loss = loss_of(score, target[i]);
            out.gradient[i] = nearest_integer(gradient_of(score, target[i]) * steps.gradient);
            out.curvature[i] = nearest_integer(kCurvature * steps.gradient);
            out.losses[i] = nearest_integer((loss < kLargestLogOdds ? loss : kLargestLogOdds) * steps.loss);
        }
    }
};

// Half the deviance of a number that is not negative, whose variance is a power of its mean: the logarithm of
// the mean is the score times a unit. Power 0 is squared error, 1 Poisson, 2 gamma.
class Power final : public ScoreLoss {
    static constexpr double kMostLog = 30.0, kLargestDerivative = 1024.0;

    // exp of (1 - power) and of (2 - power) times the logarithm of the mean.
    struct Means {
        double log, first, second;
    };
    Means means_of(double score) const {
        const double log = clip(unit_ * score, kMostLog);
        return {log, exponential(first_ * log), exponential(second_ * log)};
    }
    double gradient_of(const Means& m, double target) const {
        return clip(slope_ * (target * m.first - m.second), kLargestDerivative);
    }
    double curvature_of(const Means& m) const { return clip(curvature_ * m.second, kLargestDerivative); }
    double loss_of(const Means& m, double target) const {
        const double linear = first_ == 0.0 ? m.log : m.first / first_;
        const double rest = second_ == 0.0 ? m.log : m.second / second_;
        return weight_ * ((rest - target * linear) + saturated(target));
    }

    // The loss less what depends on the score: with it, the loss of a perfect score is 0.
    double saturated(double target) const {
        if (!(target > 0.0)) return 0.0;
        const double log = log_positive(target);
        if (first_ == 0.0) return target * log - target;
        if (second_ == 0.0) return -1.0 - log;
        return exponential(second_ * log) / (first_ * second_);
    }

    static double exponential(double x) {
        const double e = exp_nonpositive(x < 0.0 ? x : -x);
        return x > 0.0 ? 1.0 / e : e;
    }

    double unit_, weight_, first_, second_, slope_, curvature_;

  public:
    Power(double power, double unit, double weight)
        : unit_(unit),
          weight_(weight),
          first_(1.0 - power),
          second_(2.0 - power),
          slope_(weight * unit),
          curvature_(weight * unit * unit) {}

    MostSteps most_steps() const override { return {2.0 / unit_, 1.0 / unit_}; }

    void gradients(const double* scores, const double*, const double* target, const double* scale,
                   std::size_t n, std::int64_t* derivatives) const override {
        for (std::size_t i = 0; i < n; ++i) {
            const Means m = means_of(scores[i]);
            derivatives[2 * i] = nearest_integer(gradient_of(m, target[i]) * scale[i]);
            derivatives[2 * i + 1] = nearest_integer(curvature_of(m) * scale[i]);
        }
    }

    void slopes(const double* scores, const double* target, std::size_t n, double* slope, double* curvature,
                double* losses) const override {
        for (std::size_t i = 0; i < n; ++i) {
            const Means m = means_of(scores[i]);
            slope[i] = gradient_of(m, target[i]);
            curvature[i] = curvature_of(m);
            losses[i] = loss_of(m, target[i]);
        }
    }

    void row_losses(const double* scores, const double* target, std::size_t n, std::size_t,
                    double* losses) const override {
        for (std::size_t i = 0; i < n; ++i) losses[i] = loss_of(means_of(scores[i]), target[i]);
    }

    void derivatives(const double* target, std::size_t n, std::size_t, const DerivativeSteps& steps,
                     const RowDerivatives& out) const override {
        for (std::size_t i = 0; i < n; ++i) {
            const Means m = means_of(out.scores[i]);
            const double loss = loss_of(m, target[i]);
            out.gradient[i] = nearest_integer(gradient_of(m, target[i]) * steps.gradient);
            out.curvature[i] = nearest_integer(curvature_of(m) * steps.gradient);
            out.losses[i] = nearest_integer((loss < kLargestLogOdds ? loss : kLargestLogOdds) * steps.loss);
        }
    }
};

std::shared_ptr<const AdditiveLoss> power_of(const std::string& numbers) {
    std::istringstream text(numbers);
    std::string word;
    std::vector<double> values;
    while (text >> word) values.push_back(std::strtod(word.c_str(), nullptr));
    if (values.size() != 3 || !(values[1] > 0.0) || !(values[2] > 0.0)) return nullptr;
    return std::make_shared<Power>(values[0], values[1], values[2]);
}

}  // namespace

double to_fixed(double x) { return std::rint(x * kFixedOne) * (1.0 / kFixedOne); }

std::shared_ptr<const AdditiveLoss> find_loss(const std::string& name) {
    static const Logistic logistic;
    static const Softmax softmax;
    static const Squared squared;
    const std::pair<const char*, const AdditiveLoss*> losses[] = {
        {"logistic", &logistic}, {"softmax", &softmax}, {"squared", &squared}};
    for (const auto& [own, loss] : losses)
        if (name == own) return {std::shared_ptr<const AdditiveLoss>(), loss};  // not owned
    return name.rfind("power ", 0) == 0 ? power_of(name.substr(6)) : nullptr;
}

}  // namespace bayesieve
