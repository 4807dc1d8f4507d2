// Pickles of zarr 0.3.0: the values they hold, and that nothing else gets in.
#include "format/zarr/meta/pickle.h"

#include "base/json.h"
#include "support/expect_error.h"

namespace tegula::zarr {
namespace {

// The entries of every pickle, around a dtype and a fill value.
std::string pickle(const std::string& dtype, const std::string& fill) {
  return "(dp0\nVshape\np1\n(I12\ntp2\nsVchunks\np3\n(I6\ntp4\nsVdtype\np5\ncnumpy\ndtype\np6\n" + dtype +
         "sVcname\np41\nc_codecs\nencode\np42\n("
         "Vblosclz\np43\nVlatin1\np44\ntp45\nRp46\nsVclevel\np47\nI5\nsVshuffle\np48\nI1\n"
         "sVfill_value\np49\n" +
         fill + "s.";
}
const std::string kInt = "(Vi4\np7\nI0\nI1\ntp8\nRp9\n(I3\nV<\np10\nNNNI-1\nI-1\nI0\ntp11\nb";
const std::string kFloat = "(Vf8\np7\nI0\nI1\ntp8\nRp9\n(I3\nV>\np10\nNNNI-1\nI-1\nI0\ntp11\nb";
const std::string kDate =
    "(VM8\np7\nI0\nI1\ntp8\nRp9\n(I4\nV<\np10\nNNNI-1\nI-1\nI0\n((dp11\n(c_codecs\nencode\np12\n("
    "Vns\np13\nVlatin1\np14\ntp15\nRp16\nI25\nI1\nI1\ntp17\ntp18\ntp19\nb";
const std::string kText = "(VS3\np7\nI0\nI1\ntp8\nRp9\n(I3\nV|\np10\nNNNI3\nI1\nI0\ntp11\nb";
const std::string kRecord =
    "(VV5\np7\nI0\nI1\ntp8\nRp9\n(I3\nV|\np10\nN(Va\np11\nVb\np12\ntp13\n(dp14\ng11\n(g6\n("
    "Vu2\np15\nI0\nI1\ntp16\nRp17\n(I3\nV<\np18\nNNNI-1\nI-1\nI0\ntp19\nbI0\ntp20\ns"
    "g12\n(g6\n(VS3\np21\nI0\nI1\ntp22\nRp23\n(I3\ng10\nNNNI3\nI1\nI0\ntp24\nbI2\ntp25\nsI5\nI1\nI16\ntp26\nb";

struct Row {
  std::string dtype, fill, expected_dtype;
  std::vector<int> bytes;
};

TEST(Pickle, HoldsTypesAndFillValues) {
  const Row rows[] = {
      {kInt, "I-2\n", "\"<i4\"", {254, 255, 255, 255}},
      {kInt, "I01\n", "\"<i4\"", {1, 0, 0, 0}},
      {kInt, "L3L\n", "\"<i4\"", {3, 0, 0, 0}},
      {kInt, "F2.75\n", "\"<i4\"", {2, 0, 0, 0}},
      {kInt,
       "cnumpy.core.multiarray\nscalar\np60\n(g9\ng42\n(V\\u0005\\u0000\\u0000\\u0000\np61\ng44\ntp62\nRp63\ntp64\nR",
       "\"<i4\"",
       {5, 0, 0, 0}},
      {kFloat, "F-inf\n", "\">f8\"", {255, 240, 0, 0, 0, 0, 0, 0}},
      {kDate, "I7\n", "\"<M8[25ns]\"", {7, 0, 0, 0, 0, 0, 0, 0}},
      {kText, "g42\n(Va\xff\np60\ng44\ntp61\nR", "\"|S3\"", {'a', 255, 0}},
      {kText, "S'x\\x01\\n'\np60\n", "\"|S3\"", {'x', 1, '\n'}},
      {kText, "I0\n", "\"|S3\"", {'0', 0, 0}},
      {kRecord, "I0\n", R"([["a", "<u2"], ["b", "|S3"]])", {0, 0, '0', 0, 0}},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.fill);
    const OriginalPickle found = read_original_pickle(bytes_of(pickle(row.dtype, row.fill)), "__zmeta__");
    EXPECT_EQ(dump_json(found.document["dtype"]), row.expected_dtype);
    EXPECT_EQ(dump_json(found.document["shape"]), "[12]");
    EXPECT_EQ(found.document["cname"], "blosclz");
    std::vector<int> bytes;
    for (const std::byte b : found.fill) bytes.push_back(std::to_integer<int>(b));
    EXPECT_EQ(bytes, row.bytes);
    EXPECT_TRUE(found.fill_defined);
  }
  EXPECT_FALSE(read_original_pickle(bytes_of(pickle(kInt, "N")), "__zmeta__").fill_defined);
}

TEST(Pickle, RefusesEverythingElse) {
  struct Bad {
    std::string text;
    ErrorKind kind;
    const char* part;
  };
  const Bad rows[] = {
      {"cos\nsystem\n(S'echo'\ntR.", ErrorKind::unsupported, "os system"},
      {"c__builtin__\neval\n(V1\ntR.", ErrorKind::unsupported, "eval"},
      {"cnumpy\nload\n(V1\ntR.", ErrorKind::unsupported, "numpy load"},
      {"(i__main__\nX\n.", ErrorKind::unsupported, "0x69"},
      {"\x80\x02}.", ErrorKind::unsupported, "0x80"},
      {"(dp0\n", ErrorKind::corrupt, "stop"},
      {"(dp0", ErrorKind::corrupt, "line"},
      {"", ErrorKind::corrupt, "stop"},
      {".", ErrorKind::corrupt, "takes more"},
      {"t.", ErrorKind::corrupt, "mark"},
      {"(I1\nd.", ErrorKind::corrupt, "odd"},
      {"g7\n.", ErrorKind::corrupt, "not put"},
      {"(dp99999999999\n.", ErrorKind::corrupt, "number"},
      {"(dp77777\n.", ErrorKind::corrupt, "number"},
      {"I1x\n.", ErrorKind::corrupt, "integer"},
      {"I99999999999999999999\n.", ErrorKind::corrupt, "integer"},
      {"Fx\n.", ErrorKind::corrupt, "number"},
      {"S'a\n.", ErrorKind::corrupt, "quotes"},
      {"V\\u12\n.", ErrorKind::corrupt, "escape"},
      {"I1\n(tR.", ErrorKind::corrupt, "function"},
      {"I1\n(tb.", ErrorKind::corrupt, "state"},
      {"I1\n.", ErrorKind::corrupt, "dict"},
      {"(d.", ErrorKind::corrupt, "dtype"},
      {pickle(kInt, "(l"), ErrorKind::unsupported, "fill value"},
      {pickle("(VO8\np7\nI0\nI1\ntp8\nRp9\n(I3\nV|\np10\nNNNI-1\nI-1\nI63\ntp11\nb", "I0\n"), ErrorKind::unsupported,
       "object"},
      {pickle("(VV5\np7\nI0\nI1\ntp8\nRp9\n(I3\nV|\np10\nN(Va\ntN(dI5\nI1\nI16\ntb", "I0\n"), ErrorKind::corrupt,
       "fields"},
  };
  for (const Bad& row : rows) {
    SCOPED_TRACE(row.text);
    try {
      read_original_pickle(bytes_of(row.text), "__zmeta__");
      ADD_FAILURE() << "taken";
    } catch (const Error& error) {
      EXPECT_EQ(name(error.kind()), name(row.kind)) << error.what();
      EXPECT_NE(std::string(error.what()).find(row.part), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace tegula::zarr
