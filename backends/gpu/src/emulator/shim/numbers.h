// Half precision types. Operations compute in single precision and round once, as GPUs do.
template <class Bits> struct Half : Bits {
    Half() = default;
    Half(float x) : Bits(x) {}
    Half(double x) : Bits(float(x)) {}
    Half(int x) : Bits(float(x)) {}
    Half(unsigned x) : Bits(float(x)) {}
    operator float() const { return this->value(); }
    Half& operator+=(Half x) { return *this = Half(float(*this) + float(x)); }
};
#define SHIM_OPERATOR(op) \
    template <class B> static Half<B> operator op(Half<B> a, Half<B> b) { return Half<B>(float(a) op float(b)); }
SHIM_OPERATOR(+) SHIM_OPERATOR(-) SHIM_OPERATOR(*) SHIM_OPERATOR(/)
template <class B> static Half<B> operator-(Half<B> a) { return Half<B>(-float(a)); }
struct Bf16Bits {
    uint16_t bits;
    Bf16Bits() = default;
    Bf16Bits(float x) {
        uint32_t word;
        memcpy(&word, &x, 4);
        bits = x != x ? 0x7fff : (word + 0x7fff + (word >> 16 & 1)) >> 16;
    }
    float value() const {
        uint32_t word = uint32_t(bits) << 16;
        float x;
        memcpy(&x, &word, 4);
        return x;
    }
};
struct F16Bits {
    _Float16 half;
    F16Bits() = default;
    F16Bits(float x) : half(x) {
        const uint16_t nan = 0x7fff;
        if (x != x) memcpy(&half, &nan, 2);
    }
    float value() const { return half; }
};
typedef Half<Bf16Bits> __nv_bfloat16;
typedef Half<F16Bits> __half;
#define SHIM_UNARY(name, function) \
    template <class B> static Half<B> name(Half<B> x) { return Half<B>(function(float(x))); }
SHIM_UNARY(hexp, expf) SHIM_UNARY(hlog, logf) SHIM_UNARY(hsqrt, sqrtf) SHIM_UNARY(hrsqrt, rsqrt) SHIM_UNARY(hsin, sinf)
SHIM_UNARY(hcos, cosf) SHIM_UNARY(hfloor, floorf) SHIM_UNARY(hceil, ceilf) SHIM_UNARY(__habs, fabsf)
template <class B> static Half<B> __hmax(Half<B> a, Half<B> b) { return Half<B>(max(float(a), float(b))); }
template <class B> static Half<B> __hmin(Half<B> a, Half<B> b) { return Half<B>(min(float(a), float(b))); }
template <class B> static Half<B> __hfma(Half<B> a, Half<B> b, Half<B> c) { return Half<B>(fmaf(a, b, c)); }

