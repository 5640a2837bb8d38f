// SPDX-License-Identifier: MIT
// libnorm in C++: handles that free themselves, failures as exceptions, rows as spans. One header to copy and to
// change; the library itself has no C++ in it. C++17; with C++20 the spans are std::span.
#ifndef NORM_HPP
#define NORM_HPP

#include <libnorm/norm.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
#if defined(__has_include) && __has_include(<version>)
#include <version>
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

namespace norm {

#ifdef __cpp_lib_span
template <class T> using span = std::span<T>;
#else
// As much of std::span as is used here.
template <class T> class span {
public:
    span(T *data, std::size_t size) : data_(data), size_(size) {}
    template <class C, class = decltype(std::declval<C &>().data())> span(C &&c) : data_(c.data()), size_(c.size()) {}
    T *data() const { return data_; }
    std::size_t size() const { return size_; }
    T &operator[](std::size_t i) const { return data_[i]; }
    T *begin() const { return data_; }
    T *end() const { return data_ + size_; }

private:
    T *data_;
    std::size_t size_;
};
#endif

// What a call that failed left in its norm_error.
class error : public std::runtime_error {
public:
    explicit error(const norm_error &e) : std::runtime_error(e.text), status_(e.status), where_(e.where) {}
    norm_status status() const noexcept { return status_; }
    std::int64_t where() const noexcept { return where_; }

private:
    norm_status status_;
    std::int64_t where_;
};

// check([&](norm_error *e) { return norm_...(..., e); }) throws where the call fails.
template <class Call> void check(Call call)
{
    norm_error e = {};
    e.struct_size = sizeof e;
    const norm_status status = call(&e);
    if (status == LIBNORM_OK)
        return;
    e.status = status;
    if (e.text[0] == '\0')
        std::string(norm_status_name(status)).copy(e.text, sizeof e.text - 1);
    throw error(e);
}

// A struct with its size set and zeros in all else.
template <class T> T sized()
{
    T t = {};
    t.struct_size = sizeof t;
    return t;
}

// A value, as in C: copies share the immutable handle.
class normalizer {
public:
    explicit normalizer(std::string_view spec)
    {
        check([&](norm_error *e) { return norm_normalizer_parse(spec.data(), spec.size(), nullptr, &handle_, e); });
    }
    normalizer(const normalizer &other) : handle_(norm_normalizer_ref(other.handle_)) {}
    normalizer(normalizer &&other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    normalizer &operator=(normalizer other) noexcept
    {
        std::swap(handle_, other.handle_);
        return *this;
    }
    ~normalizer() { norm_normalizer_free(handle_); }

    normalizer with(const char *key, double value) const
    {
        normalizer changed;
        check([&](norm_error *e) { return norm_normalizer_with(handle_, key, value, &changed.handle_, e); });
        return changed;
    }
    std::string spec() const
    {
        std::size_t length = 0;
        norm_normalizer_spec(handle_, nullptr, 0, &length);
        std::string text(length + 1, '\0');
        check([&](norm_error *) { return norm_normalizer_spec(handle_, text.data(), text.size(), &length); });
        text.resize(length);
        return text;
    }
    bool is(std::uint64_t property) const { return (norm_normalizer_properties(handle_) & property) != 0; }
    const norm_normalizer *get() const { return handle_; }

    // Weights of rows of cols scores each, one after the other.
    void apply(span<const float> scores, std::size_t cols, span<float> weights) const
    {
        const norm_rows rows = shape(scores.size(), cols, weights.size());
        check([&](norm_error *e) {
            return norm_apply_f32(handle_, &rows, scores.data(), weights.data(), nullptr, nullptr, e);
        });
    }
    // Gradient in the scores from the gradient in the weights.
    void vjp(span<const float> scores, span<const float> upstream, std::size_t cols, span<float> gradient) const
    {
        const norm_rows rows = shape(scores.size(), cols, gradient.size());
        if (upstream.size() != scores.size())
            throw std::invalid_argument("as many upstream gradients as scores");
        check([&](norm_error *e) {
            return norm_vjp_f32(handle_, &rows, scores.data(), nullptr, upstream.data(), gradient.data(), nullptr, e);
        });
    }

private:
    normalizer() = default;
    static norm_rows shape(std::size_t scores, std::size_t cols, std::size_t results)
    {
        if (cols == 0 || scores % cols != 0 || results != scores)
            throw std::invalid_argument("whole rows, and as many results as scores");
        norm_rows rows = sized<norm_rows>();
        rows.batch = 1;
        rows.rows = scores / cols;
        rows.cols = cols;
        return rows;
    }
    norm_normalizer *handle_ = nullptr;
};

// The other handles have one owner here.
template <auto release> struct releaser {
    template <class T> void operator()(T *handle) const { release(handle); }
};
using tokenizer = std::unique_ptr<norm_tokenizer, releaser<norm_tokenizer_free>>;
using gpt2 = std::unique_ptr<norm_gpt2, releaser<norm_gpt2_free>>;

inline tokenizer open_tokenizer(const std::string &directory)
{
    norm_tokenizer *handle = nullptr;
    check([&](norm_error *e) { return norm_tokenizer_open(directory.c_str(), nullptr, &handle, e); });
    return tokenizer(handle);
}

inline gpt2 open_gpt2(const std::string &directory)
{
    norm_gpt2 *handle = nullptr;
    check([&](norm_error *e) { return norm_gpt2_open(directory.c_str(), nullptr, &handle, e); });
    return gpt2(handle);
}

inline std::vector<std::int32_t> encode(const norm_tokenizer *t, std::string_view text)
{
    std::vector<std::int32_t> ids(text.size()); // never more ids than bytes
    std::size_t count = 0;
    check([&](norm_error *e) {
        return norm_tokenizer_encode(t, text.data(), text.size(), 0, ids.data(), ids.size(), &count, nullptr, e);
    });
    ids.resize(count);
    return ids;
}

// Runs ids through a model; see(const norm_head_view &) is called for every block of rows of every head. What it throws
// comes out of here: no exception may pass through the library.
template <class See>
void observe(const norm_gpt2 *model, span<const std::int32_t> ids, const normalizer &every, See see)
{
    struct state {
        See *see;
        std::exception_ptr thrown;
    } inside = {&see, nullptr};
    const norm_normalizer *one = every.get();
    norm_gpt2_run run = sized<norm_gpt2_run>();
    run.normalizers = &one;
    run.normalizer_count = 1;
    run.logits = LIBNORM_GPT2_LOGITS_NONE;
    run.observer_user = &inside;
    run.observer = [](void *user, const norm_head_view *view) -> std::int32_t {
        state *s = static_cast<state *>(user);
        try {
            (*s->see)(*view);
            return 0;
        } catch (...) {
            s->thrown = std::current_exception();
            return 1;
        }
    };
    try {
        check([&](norm_error *e) {
            return norm_gpt2_forward(model, ids.data(), ids.size(), &run, nullptr, nullptr, e);
        });
    } catch (const error &) {
        if (inside.thrown)
            std::rethrow_exception(inside.thrown);
        throw;
    }
}

} // namespace norm

#endif
