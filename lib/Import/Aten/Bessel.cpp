//===- Bessel.cpp - Bessel functions --------------------------------------===//
//
// Polynomials for what is left of a function when its factors are taken off: of
// x / 4 - 1 or x^2 / 32 - 1 where x is at most 8, of 16 / x - 1 or 128 / x^2 -
// 1 beyond; those of K change at 2.
//
//===----------------------------------------------------------------------===//

#include "SpecialFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace tally::import_pt2 {

//===----------------------------------------------------------------------===//
// Polynomials
//===----------------------------------------------------------------------===//

static constexpr double kI0Near[] = {
    0.2070019212239867,     -0.11300432688620549,    0.09451562853995103,
    -0.08904344136075962,   0.08734341617552313,     -0.08496338091616305,
    0.07927522590716347,    -0.06954119561719381,    0.05677703201991695,
    -0.04298594945479612,   0.030177912022978357,    -0.01968265469059234,
    0.011960077907026221,   -0.0067923998730731695,  0.003617126448897043,
    -0.001811886793937724,  0.0008563152748272306,   -0.00038290209550065975,
    0.00016240542162878106, -6.550861389620851e-05,  2.520232727107692e-05,
    -9.251680584432654e-06, 3.2293390826404927e-06,  -1.0883393970072518e-06,
    3.675842926555429e-07,  -1.1384114641747256e-07, 2.6265363151970112e-08,
    -7.723094556846333e-09, 4.470516727511741e-09,   -1.1852342482684723e-09};
static constexpr double kI0Far[] = {
    0.4021765094450081,      0.0033605519836678614,  0.0001362160743919305,
    1.1143033790932038e-05,  1.4838475658279249e-06, 2.9735985885673923e-07,
    8.872219737904054e-08,   3.932584334552952e-08,  2.1548377974791598e-08,
    7.554691881248808e-09,   -6.747657956107524e-09, -1.340891754008974e-08,
    -5.404771567579958e-09,  7.552583062123384e-09,  7.430464650325426e-09,
    -3.5059665308793316e-09, -5.953569438264892e-09, 1.5200816953924227e-09,
    3.6379546359011156e-09,  -5.715843864202707e-10, -1.6189806836246825e-09,
    1.5279202694981558e-10,  4.577087631643626e-10,  -2.026060428741361e-11,
    -6.067631570603011e-11};
static constexpr double kI1Near[] = {
    0.044687709875608835,    -0.061124338029666284,  0.0680575999095116,
    -0.06848260620582691,    0.06376740371340721,    -0.055280039226991644,
    0.04467457262125467,     -0.03367135552108536,   0.023686016957729535,
    -0.015571309243980052,   0.009583962150731578,   -0.005534567847563678,
    0.0030057624197775295,   -0.00153887456203039,   0.0007445123445061157,
    -0.0003411760289073331,  0.0001484212433475852,  -6.142360299099794e-05,
    2.4233753149624307e-05,  -9.136543922789093e-06, 3.293899139003749e-06,
    -1.1327072698408053e-06, 3.759367306404118e-07,  -1.2424759932738304e-07,
    3.802984785138283e-08,   -8.984420960424589e-09, 2.603206542331157e-09,
    -1.41695079121077e-09,   3.7284532079392345e-10};
static constexpr double kI1Far[] = {
    0.38939845902587233,     -0.009749577193235737,   -0.00021923576383388928,
    -1.5038547200567216e-05, -1.8349101326980946e-06, -3.483855761044295e-07,
    -1.0001288294864884e-07, -4.312917729178349e-08,  -2.337392820814264e-08,
    -8.427766093735185e-09,  6.734464815301592e-09,   1.4034238782067183e-08,
    5.974437608040264e-09,   -7.64239413436356e-09,   -7.888351507862078e-09,
    3.4262341490077958e-09,  6.242741219786446e-09,   -1.4387250533041011e-09,
    -3.794670896208341e-09,  5.295625441161259e-10,   1.6848984479705154e-09,
    -1.4011625179770617e-10, -4.758818838703856e-10,  1.851511882885294e-11,
    6.305965197150062e-11};
static constexpr double kK0Near[] = {
    -0.30362077291575545,  0.3404973210133806,    0.07177701034240509,
    0.005053392643196092,  0.0001828055582791554, 4.054506619949891e-06,
    6.093361894172114e-08, 6.623013272794453e-10, 5.452564662772586e-12,
    3.518631515854722e-14};
static constexpr double kK0Far[] = {
    1.2185953385133905,      -0.03107146182488952,    0.003032891810273794,
    -0.0004797690567662314,  9.956054749305854e-05,   -2.4735204561466906e-05,
    7.002244287487694e-06,   -2.191177788015528e-06,  7.427932208028755e-07,
    -2.6890662472901614e-07, 1.0287980689458582e-07,  -4.133923052104385e-08,
    1.731622598181986e-08,   -7.286380907337665e-09,  3.170629957994259e-09,
    -1.9309444875845705e-09, 1.0573777917720047e-09,  1.7887095838476482e-10,
    -2.426111314423373e-10,  -5.541051446065683e-10,  3.883027499295913e-10,
    2.213758097591008e-10,   -1.5750973144552285e-10, -6.910453875670571e-11,
    4.4463261136368365e-11};
static constexpr double kK1Near[] = {
    0.8850882877295894,     -0.3322409552403131,    -0.24383852886774365,
    -0.02785423521977184,   -0.0013831688466153064, -3.891869064371633e-05,
    -7.081133770184678e-07, -9.032127501740678e-09, -8.53273511404978e-11,
    -6.214271617329577e-13, -3.5962181014457795e-15};
static constexpr double kK1Far[] = {
    1.363151890371342,       0.10334973775386523,     -0.005566729880072931,
    0.0007357241549081501,   -0.00013959021964175084, 3.284386555825453e-05,
    -8.961205912549711e-06,  2.730041433569803e-06,   -9.067229884830243e-07,
    3.2298119177151824e-07,  -1.2195093824501613e-07, 4.8461952200091865e-08,
    -2.0109398585523846e-08, 8.40938756536177e-09,    -3.639264909950171e-09,
    2.1757782025837176e-09,  -1.180097808498307e-09,  -1.7982138496175016e-10,
    2.560533082941635e-10,   6.042482293782838e-10,   -4.2190635517826636e-10,
    -2.399376595899464e-10,  1.704297529665342e-10,   7.52479548635394e-11,
    -4.829107281627596e-11};
static constexpr double kJ0Near[] = {
    0.04582966485981377,    0.9303012472958572,     -0.6484692830871837,
    -0.8080888076696872,    1.0383794611437211,     -0.5074680458471,
    0.14598884856759264,    -0.028472718610882047,  0.004058078989140991,
    -0.0004435459224311503, 3.8473197855944365e-05, -2.717749223632098e-06,
    1.5956109104549218e-07, -7.91532308295207e-09,  3.3634475788173604e-10,
    -1.243301171273326e-11, 4.0037632815796753e-13};
static constexpr double kJ1Near[] = {
    -0.05814382795599107,   0.08105866038589796,    0.15151665143806636,
    -0.2595948652859303,    0.15858376432721838,    -0.05474581821284722,
    0.012456814392263375,   -0.0020290394945705996, 0.0002494945813597261,
    -2.404574865968694e-05, 1.8684526037206013e-06, -1.196708186787801e-07,
    6.431190177265836e-09,  -2.943013798001659e-10, 1.1658972367678622e-11,
    -4.0045728425886457e-13};
static constexpr double kY0Near[] = {
    -0.382250654459425,      -0.8284358903604587,    1.6470964788745466,
    0.14412632369302475,     -1.0775477338215995,    0.6721770783431679,
    -0.21895747096171628,    0.046367047681375125,   -0.00702574105727097,
    0.000806158605961636,    -7.279541882454115e-05, 5.3213188103997145e-06,
    -3.2185078445935923e-07, 1.6390875014077404e-08, -7.13046146536789e-10,
    2.6926938054524057e-11,  -8.840112096073101e-13};
static constexpr double kY1Near[] = {
    0.07075985882118005,     -0.24337743079193114,   0.023367571720993584,
    0.23507209206669755,     -0.19639839859930425,   0.07854786922242532,
    -0.019628756833099423,   0.0034224907399188495,  -0.00044381734351149876,
    4.467433012646365e-05,   -3.600999874357815e-06, 2.3804930420514178e-07,
    -1.3153322551127247e-08, 6.169688029066965e-10,  -2.4887509903377128e-11,
    8.760001143977853e-13,   -2.695138958384033e-14};
static constexpr double kP0[] = {
    0.9994572757882519,      -0.0005363673192129672, 6.137416080109497e-06,
    -2.0527448261170675e-07, 1.280376144080092e-08,  -1.2121098178951377e-09,
    1.5500565496632596e-10,  -2.491146535471666e-11, 4.786995821368028e-12,
    -1.0157485021065676e-12, 2.4531772967345006e-13, -1.0251790052831013e-13,
    3.339452259070809e-14};
static constexpr double kQ0[] = {
    -0.12444091103610815,    0.0005466519279475109,  -1.1817110661200976e-05,
    5.68497188761875e-07,    -4.534972837363434e-08, 5.146225268539058e-09,
    -7.5763304988972e-10,    1.36265138876175e-10,   -2.8707211071105146e-11,
    6.878054876576861e-12,   -1.873640743543296e-12, 5.570266801419967e-13,
    -1.3137515498826537e-13, 3.750385225206321e-14,  -4.0574096424030336e-14,
    1.7159223662634758e-14};
static constexpr double kP1[] = {
    1.0009070262780821,     0.0008988049416705183,   -7.9596946984383e-06,
    2.453676633366693e-07,  -1.4708512991275258e-08, 1.3602969253877949e-09,
    -1.713107485294131e-10, 2.72345126828134e-11,    -5.191158004646548e-12,
    1.0954826479277623e-12, -2.6335760672461096e-13, 1.0923713653079462e-13,
    -3.5455617466606254e-14};
static constexpr double kQ1[] = {
    0.3742149922195918,     -0.0007697167057643706,  1.4569614809851411e-05,
    -6.633568561050814e-07, 5.136105997071193e-08,   -5.720890888840857e-09,
    8.316077350038262e-10,  -1.4816588916791194e-10, 3.100364837230575e-11,
    -7.465104477698295e-12, 2.002728774766585e-12,   -4.91574062967655e-13,
    1.3996264453471973e-13, -1.0759215471978615e-13, 4.275621822194818e-14};

//===----------------------------------------------------------------------===//
// I, the modified functions of the first kind
//===----------------------------------------------------------------------===//

/// exp(-x) I(x) for x >= 0; the polynomial for small x has lost a factor x if
/// the order is 1.
template <int order>
static Value buildScaledI(Scalars &s, Value x) {
  constexpr double limit = 8;
  Value one = s.number(1);
  Value isNear = s.compare(Compare::Le, x, s.number(limit));
  Value near = s.sub(s.mul(x, s.number(0.25)), one);
  near =
      buildPolynomial(s, near, order ? ArrayRef(kI1Near) : ArrayRef(kI0Near));
  if (order)
    near = s.mul(near, x);
  Value far = s.sub(s.divFloat(s.number(16), x), one);
  far = buildPolynomial(s, far, order ? ArrayRef(kI1Far) : ArrayRef(kI0Far));
  far = s.divFloat(far, math::SqrtOp::create(s.b, s.loc, x));
  return s.select(isNear, near, far);
}

template <int order, bool isScaled>
static Value buildI(Scalars &s, Value x) {
  Value magnitude = s.abs(x);
  Value result = buildScaledI<order>(s, magnitude);
  if (!isScaled) {
    // In two steps, as the result may be in range where exp is not.
    Value root = buildExp(s, s.mul(magnitude, s.number(0.5)));
    result = s.mul(s.mul(result, root), root);
    Value isInfinite = s.compare(Compare::Eq, magnitude, s.highest());
    result = s.select(isInfinite, magnitude, result);
  }
  if (order)
    result =
        s.select(s.compare(Compare::Lt, x, s.number(0)), s.neg(result), result);
  return result;
}

//===----------------------------------------------------------------------===//
// K, the modified functions of the second kind
//===----------------------------------------------------------------------===//

template <int order, bool isScaled>
static Value buildK(Scalars &s, Value x) {
  Value zero = s.number(0), one = s.number(1);
  Value isNear = s.compare(Compare::Le, x, s.number(2));
  Value half = s.mul(x, s.number(0.5));
  Value near = s.sub(s.mul(half, x), one);
  near =
      buildPolynomial(s, near, order ? ArrayRef(kK1Near) : ArrayRef(kK0Near));
  if (order)
    near = s.divFloat(near, x);
  Value logs = s.mul(buildLog(s, half), buildI<order, false>(s, x));
  near = order ? s.add(near, logs) : s.sub(near, logs);
  Value far = s.sub(s.divFloat(s.number(4), x), one);
  far = buildPolynomial(s, far, order ? ArrayRef(kK1Far) : ArrayRef(kK0Far));
  far = s.divFloat(far, math::SqrtOp::create(s.b, s.loc, x));
  if (isScaled)
    near = s.mul(near, buildExp(s, x));
  else
    far = s.mul(far, buildExp(s, s.neg(x)));
  Value result = s.select(isNear, near, far);
  result = s.select(s.compare(Compare::Eq, x, zero), s.highest(), result);
  return s.select(s.compare(Compare::Lt, x, zero), s.number(NAN), result);
}

//===----------------------------------------------------------------------===//
// J and Y, the functions of the first and the second kind
//===----------------------------------------------------------------------===//

/// J or Y beyond 8: sqrt(2 / (pi x)) times P cos(c) - Q sin(c), or P sin(c) + Q
/// cos(c), for c = x - pi / 4, or x - 3 pi / 4 if the order is 1.
template <int order, bool isSecond>
static Value buildFarOscillation(Scalars &s, Value x) {
  Value v = s.sub(s.divFloat(s.number(128), s.mul(x, x)), s.number(1));
  Value p = buildPolynomial(s, v, order ? ArrayRef(kP1) : ArrayRef(kP0));
  Value q = s.divFloat(
      buildPolynomial(s, v, order ? ArrayRef(kQ1) : ArrayRef(kQ0)), x);
  Value sin = math::SinOp::create(s.b, s.loc, x);
  Value cos = math::CosOp::create(s.b, s.loc, x);
  // Times the root of 2, which the factor has lost.
  Value sum = s.add(sin, cos), difference = s.sub(sin, cos);
  Value cosine = order ? difference : sum;
  Value sine = order ? s.neg(sum) : difference;
  Value wave = isSecond ? s.add(s.mul(p, sine), s.mul(q, cosine))
                        : s.sub(s.mul(p, cosine), s.mul(q, sine));
  Value scale =
      math::SqrtOp::create(s.b, s.loc, s.divFloat(s.number(M_1_PI), x));
  Value isInfinite = s.compare(Compare::Eq, x, s.highest());
  return s.select(isInfinite, s.number(0), s.mul(scale, wave));
}

static Value buildNearJ(Scalars &s, Value x, bool isFirst) {
  Value u = s.sub(s.mul(s.mul(x, x), s.number(0x1p-5)), s.number(1));
  Value result =
      buildPolynomial(s, u, isFirst ? ArrayRef(kJ1Near) : ArrayRef(kJ0Near));
  return isFirst ? s.mul(result, x) : result;
}

template <int order>
static Value buildJ(Scalars &s, Value x) {
  Value magnitude = s.abs(x);
  Value isNear = s.compare(Compare::Le, magnitude, s.number(8));
  Value result = s.select(isNear, buildNearJ(s, magnitude, order),
                          buildFarOscillation<order, false>(s, magnitude));
  if (order)
    result =
        s.select(s.compare(Compare::Lt, x, s.number(0)), s.neg(result), result);
  return result;
}

template <int order>
static Value buildY(Scalars &s, Value x) {
  Value zero = s.number(0), one = s.number(1);
  Value u = s.sub(s.mul(s.mul(x, x), s.number(0x1p-5)), one);
  Value rest =
      buildPolynomial(s, u, order ? ArrayRef(kY1Near) : ArrayRef(kY0Near));
  Value product = s.mul(buildLog(s, x), buildNearJ(s, x, order));
  if (order) {
    rest = s.mul(rest, x);
    product = s.sub(product, s.divFloat(one, x));
  }
  Value near = s.add(rest, s.mul(s.number(M_2_PI), product));
  Value isNear = s.compare(Compare::Le, x, s.number(8));
  Value result = s.select(isNear, near, buildFarOscillation<order, true>(s, x));
  result = s.select(s.compare(Compare::Eq, x, zero), s.lowest(), result);
  return s.select(s.compare(Compare::Lt, x, zero), s.number(NAN), result);
}

Value buildBesselI0(Scalars &s, Value x) { return buildI<0, false>(s, x); }

/// sin(x) / x, by its series where that is more exact.
static Value buildSphericalJ0(Scalars &s, Value x) {
  constexpr double kSeries[] = {
      1.0,          -1.0 / 6,        1.0 / 120,       -1.0 / 5040,
      1.0 / 362880, -1.0 / 39916800, 1.0 / 6227020800};
  Value near = buildPolynomial(s, s.mul(x, x), kSeries);
  Value far = s.divFloat(math::SinOp::create(s.b, s.loc, x), x);
  Value magnitude = s.abs(x);
  Value result =
      s.select(s.compare(Compare::Lt, magnitude, s.number(0.5)), near, far);
  Value isInfinite = s.compare(Compare::Eq, magnitude, s.highest());
  return s.select(isInfinite, s.number(0), result);
}

void addBessel(LoweringTable &table) {
  for (StringRef name : {"i0", "special_i0", "special_modified_bessel_i0"})
    table.add(("aten." + name + ".default").str(),
              lowerInDouble<buildI<0, false>>);
  for (StringRef name : {"special_i1", "special_modified_bessel_i1"})
    table.add(("aten." + name + ".default").str(),
              lowerInDouble<buildI<1, false>>);
  table.add("aten.special_i0e.default", lowerInDouble<buildI<0, true>>);
  table.add("aten.special_i1e.default", lowerInDouble<buildI<1, true>>);
  table.add("aten.special_modified_bessel_k0.default",
            lowerInDouble<buildK<0, false>>);
  table.add("aten.special_modified_bessel_k1.default",
            lowerInDouble<buildK<1, false>>);
  table.add("aten.special_scaled_modified_bessel_k0.default",
            lowerInDouble<buildK<0, true>>);
  table.add("aten.special_scaled_modified_bessel_k1.default",
            lowerInDouble<buildK<1, true>>);
  table.add("aten.special_bessel_j0.default", lowerInDouble<buildJ<0>>);
  table.add("aten.special_bessel_j1.default", lowerInDouble<buildJ<1>>);
  table.add("aten.special_bessel_y0.default", lowerInDouble<buildY<0>>);
  table.add("aten.special_bessel_y1.default", lowerInDouble<buildY<1>>);
  table.add("aten.special_spherical_bessel_j0.default",
            lowerInDouble<buildSphericalJ0>);
}

} // namespace tally::import_pt2
