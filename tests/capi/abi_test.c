/* The C ABI as a C program uses it, declared by hand: an array is made, written and read, and everything that a caller
 * may do wrong is an error and no crash. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ctx ctx;
typedef struct config config;
typedef struct error error;
typedef struct schema schema;
typedef struct domain domain;
typedef struct dimension dimension;
typedef struct attribute attribute;
typedef struct array array;
typedef struct query query;
typedef struct subarray subarray;
typedef struct filter filter;
typedef struct condition condition;

const char* tegula_capi_version(void);
void tiledb_version(int32_t*, int32_t*, int32_t*);
int32_t tiledb_config_alloc(config**, error**);
void tiledb_config_free(config**);
int32_t tiledb_config_set(config*, const char*, const char*, error**);
int32_t tiledb_config_get(config*, const char*, const char**, error**);
int32_t tiledb_config_unset(config*, const char*, error**);
int32_t tiledb_error_message(error*, const char**);
void tiledb_error_free(error**);
int32_t tiledb_ctx_alloc(config*, ctx**);
void tiledb_ctx_free(ctx**);
int32_t tiledb_ctx_get_last_error(ctx*, error**);
int32_t tiledb_datatype_from_str(const char*, int32_t*);
int32_t tiledb_filter_alloc(ctx*, int32_t, filter**);
void tiledb_filter_free(filter**);
int32_t tiledb_filter_set_option(ctx*, filter*, int32_t, const void*);
int32_t tiledb_dimension_alloc(ctx*, const char*, int32_t, const void*, const void*, dimension**);
void tiledb_dimension_free(dimension**);
int32_t tiledb_dimension_get_name(ctx*, const dimension*, const char**);
int32_t tiledb_domain_alloc(ctx*, domain**);
void tiledb_domain_free(domain**);
int32_t tiledb_domain_add_dimension(ctx*, domain*, dimension*);
int32_t tiledb_attribute_alloc(ctx*, const char*, int32_t, attribute**);
void tiledb_attribute_free(attribute**);
int32_t tiledb_attribute_get_name(ctx*, const attribute*, const char**);
int32_t tiledb_attribute_set_cell_val_num(ctx*, attribute*, uint32_t);
int32_t tiledb_array_schema_alloc(ctx*, int32_t, schema**);
void tiledb_array_schema_free(schema**);
int32_t tiledb_array_schema_set_domain(ctx*, schema*, domain*);
int32_t tiledb_array_schema_add_attribute(ctx*, schema*, attribute*);
int32_t tiledb_array_schema_check(ctx*, schema*);
int32_t tiledb_array_create(ctx*, const char*, const schema*);
int32_t tiledb_array_alloc(ctx*, const char*, array**);
void tiledb_array_free(array**);
int32_t tiledb_array_open(ctx*, array*, int32_t);
int32_t tiledb_array_close(ctx*, array*);
int32_t tiledb_array_get_schema(ctx*, array*, schema**);
int32_t tiledb_array_put_metadata(ctx*, array*, const char*, int32_t, uint32_t, const void*);
int32_t tiledb_subarray_alloc(ctx*, const array*, subarray**);
void tiledb_subarray_free(subarray**);
int32_t tiledb_subarray_add_range(ctx*, subarray*, uint32_t, const void*, const void*, const void*);
int32_t tiledb_query_alloc(ctx*, array*, int32_t, query**);
void tiledb_query_free(query**);
int32_t tiledb_query_set_data_buffer(ctx*, query*, const char*, void*, uint64_t*);
int32_t tiledb_query_set_offsets_buffer(ctx*, query*, const char*, uint64_t*, uint64_t*);
int32_t tiledb_query_set_subarray_t(ctx*, query*, const subarray*);
int32_t tiledb_query_set_layout(ctx*, query*, int32_t);
int32_t tiledb_query_set_condition(ctx*, query*, const condition*);
int32_t tiledb_query_condition_alloc(ctx*, condition**);
int32_t tiledb_query_condition_init(ctx*, condition*, const char*, const void*, uint64_t, int32_t);
void tiledb_query_condition_free(condition**);
int32_t tiledb_query_submit(ctx*, query*);
int32_t tiledb_query_get_status(ctx*, query*, int32_t*);
int32_t tiledb_query_get_fragment_num(ctx*, const query*, uint32_t*);
int32_t tiledb_serialize_array(ctx*, const array*, int32_t, int32_t, void**);

enum { INT32 = 0, STRING_ASCII = 11, DENSE = 0, READ = 0, WRITE = 1, COMPLETED = 1, INCOMPLETE = 3 };
enum { OK = 0, ERR = -1, INVALID_CONTEXT = -3, INVALID_ERROR = -4 };

static int failures = 0;
static ctx* c;

static const char* last_error(void) {
  static char text[512];
  error* e = NULL;
  const char* message = NULL;
  text[0] = 0;
  if (tiledb_ctx_get_last_error(c, &e) == OK && e && tiledb_error_message(e, &message) == OK && message)
    snprintf(text, sizeof text, "%s", message);
  tiledb_error_free(&e);
  return text;
}

#define IS(wanted, call)                                                                                          \
  do {                                                                                                            \
    const long long got_ = (long long)(call), wanted_ = (long long)(wanted);                                      \
    if (got_ != wanted_) {                                                                                        \
      fprintf(stderr, "%s:%d: %s is %lld, expected %lld (%s)\n", __FILE__, __LINE__, #call, got_, wanted_, last_error()); \
      ++failures;                                                                                                 \
    }                                                                                                             \
  } while (0)
/* Fails, and the message holds a part. */
#define REFUSED(part, call)                                                                            \
  do {                                                                                                 \
    IS(ERR, call);                                                                                     \
    if (!strstr(last_error(), part)) {                                                                 \
      fprintf(stderr, "%s:%d: the error is '%s', expected '%s'\n", __FILE__, __LINE__, last_error(), part); \
      ++failures;                                                                                      \
    }                                                                                                  \
  } while (0)

static void configs(void) {
  config* cfg = NULL;
  error* e = NULL;
  const char* value = NULL;
  IS(OK, tiledb_config_alloc(&cfg, &e));
  IS(OK, tiledb_config_get(cfg, "sm.memory_budget", &value, &e));
  IS(0, strcmp(value, "5368709120"));
  IS(OK, tiledb_config_get(cfg, "py.unknown", &value, &e));
  IS(1, value == NULL);
  IS(ERR, tiledb_config_set(cfg, "sm.check_coord_dups", "yes", &e));
  IS(1, e != NULL);
  tiledb_error_free(&e);
  IS(ERR, tiledb_config_set(cfg, "sm.memory_budget", "10GB", &e));
  tiledb_error_free(&e);
  IS(OK, tiledb_config_set(cfg, "sm.memory_budget", "7", &e));
  IS(1, e == NULL);
  IS(OK, tiledb_config_unset(cfg, "sm.memory_budget", &e));
  IS(OK, tiledb_config_get(cfg, "sm.memory_budget", &value, &e));
  IS(0, strcmp(value, "5368709120"));
  IS(ERR, tiledb_config_set(NULL, "a", "b", NULL));
  IS(ERR, tiledb_config_set(cfg, NULL, "b", NULL));
  IS(ERR, tiledb_config_get(cfg, "a", NULL, NULL));
  config* freed = cfg;
  tiledb_config_free(&cfg);
  IS(1, cfg == NULL);
  IS(ERR, tiledb_config_set(freed, "a", "b", NULL));
  tiledb_config_free(&freed); /* a second time: nothing happens */
  tiledb_config_free(NULL);
}

static void wrong_handles(void) {
  const char* name = NULL;
  int32_t type = 0;
  attribute* a = NULL;
  ctx* freed = NULL;
  IS(INVALID_CONTEXT, tiledb_attribute_alloc(NULL, "a", INT32, &a));
  IS(OK, tiledb_ctx_alloc(NULL, &freed));
  ctx* copy = freed;
  tiledb_ctx_free(&freed);
  IS(INVALID_CONTEXT, tiledb_attribute_alloc(copy, "a", INT32, &a));
  IS(INVALID_ERROR, tiledb_error_message(NULL, &name));
  REFUSED("Invalid attribute name", tiledb_attribute_alloc(c, NULL, INT32, &a));
  REFUSED("Invalid datatype 77", tiledb_attribute_alloc(c, "a", 77, &a));
  REFUSED("output pointer", tiledb_attribute_alloc(c, "a", INT32, NULL));
  IS(OK, tiledb_attribute_alloc(c, "a", INT32, &a));
  REFUSED("Invalid TileDB attribute object", tiledb_attribute_get_name(c, NULL, &name));
  REFUSED("Invalid TileDB attribute object", tiledb_attribute_get_name(c, (attribute*)c, &name));
  REFUSED("Invalid TileDB attribute object", tiledb_attribute_get_name(c, (attribute*)&name, &name));
  REFUSED("Invalid TileDB dimension object", tiledb_dimension_get_name(c, (dimension*)a, &name));
  REFUSED("output pointer", tiledb_attribute_get_name(c, a, NULL));
  attribute* gone = a;
  tiledb_attribute_free(&a);
  REFUSED("Invalid TileDB attribute object", tiledb_attribute_get_name(c, gone, &name));
  IS(ERR, tiledb_datatype_from_str("int32", &type)); /* lower case */
  IS(OK, tiledb_datatype_from_str("INT32", &type));
  filter* f = NULL;
  int32_t level = 3;
  IS(OK, tiledb_filter_alloc(c, 9, &f)); /* byteshuffle */
  REFUSED("has no option", tiledb_filter_set_option(c, f, 0, &level));
  tiledb_filter_free(&f);
  REFUSED("there is no filter", tiledb_filter_alloc(c, 11, &f));
  REFUSED("tiledb_serialize_array is not built yet", tiledb_serialize_array(c, NULL, 0, 0, NULL));
}

/* 4 cells of an integer and a text. */
static void make_array(const char* uri) {
  const int32_t bounds[] = {1, 4}, wrong[] = {4, 1}, extent = 2, none = 0;
  dimension* d = NULL;
  domain* all = NULL;
  attribute *a = NULL, *s = NULL;
  schema* sch = NULL;
  REFUSED("Tile extent must not be 0", tiledb_dimension_alloc(c, "x", INT32, bounds, &none, &d));
  REFUSED("Lower domain bound", tiledb_dimension_alloc(c, "x", INT32, wrong, &extent, &d));
  REFUSED("needs one", tiledb_dimension_alloc(c, "x", INT32, NULL, &extent, &d));
  IS(OK, tiledb_dimension_alloc(c, "x", INT32, bounds, &extent, &d));
  IS(OK, tiledb_domain_alloc(c, &all));
  IS(OK, tiledb_array_schema_alloc(c, DENSE, &sch));
  REFUSED("Domain not set", tiledb_array_schema_check(c, sch));
  REFUSED("at least one dimension", tiledb_array_schema_set_domain(c, sch, all));
  IS(OK, tiledb_domain_add_dimension(c, all, d));
  IS(OK, tiledb_array_schema_set_domain(c, sch, all));
  IS(OK, tiledb_attribute_alloc(c, "a", INT32, &a));
  IS(OK, tiledb_attribute_alloc(c, "s", STRING_ASCII, &s));
  REFUSED("to 0", tiledb_attribute_set_cell_val_num(c, s, 0));
  IS(OK, tiledb_array_schema_add_attribute(c, sch, a));
  IS(OK, tiledb_array_schema_add_attribute(c, sch, s));
  IS(OK, tiledb_attribute_set_cell_val_num(c, s, UINT32_MAX)); /* shows in the schema */
  IS(OK, tiledb_array_schema_check(c, sch));
  IS(OK, tiledb_array_create(c, uri, sch));
  REFUSED("already exists", tiledb_array_create(c, uri, sch));
  tiledb_attribute_free(&a);
  tiledb_attribute_free(&s);
  tiledb_dimension_free(&d);
  tiledb_domain_free(&all);
  tiledb_array_schema_free(&sch);
}

static void write_array(const char* uri) {
  int32_t cells[] = {10, 20, 30, 40}, status = -1;
  uint64_t offsets[] = {0, 1, 3, 3}, wrong[] = {0, 9, 3, 3};
  uint64_t cells_size = sizeof cells, offsets_size = sizeof offsets, text_size = 6, few = 12;
  uint32_t fragments = 0;
  array* arr = NULL;
  query* q = NULL;
  IS(OK, tiledb_array_alloc(c, uri, &arr));
  REFUSED("is not open", tiledb_query_alloc(c, arr, WRITE, &q));
  IS(OK, tiledb_array_open(c, arr, WRITE));
  REFUSED("already open", tiledb_array_open(c, arr, READ));
  REFUSED("does not match", tiledb_query_alloc(c, arr, READ, &q));
  IS(OK, tiledb_query_alloc(c, arr, WRITE, &q));
  REFUSED("there is no buffer for 'a'", tiledb_query_submit(c, q));
  REFUSED("There is no field z", tiledb_query_set_data_buffer(c, q, "z", cells, &cells_size));
  REFUSED("buffer size", tiledb_query_set_data_buffer(c, q, "a", cells, NULL));
  IS(OK, tiledb_query_set_data_buffer(c, q, "a", cells, &few));
  IS(OK, tiledb_query_set_data_buffer(c, q, "s", "abbccc", &text_size));
  IS(OK, tiledb_query_set_offsets_buffer(c, q, "s", wrong, &offsets_size));
  REFUSED("fixed-sized", tiledb_query_set_offsets_buffer(c, q, "a", offsets, &offsets_size));
  REFUSED("Invalid offsets", tiledb_query_submit(c, q));
  IS(OK, tiledb_query_set_offsets_buffer(c, q, "s", offsets, &offsets_size));
  REFUSED("Invalid number of cells", tiledb_query_submit(c, q));
  IS(OK, tiledb_query_set_data_buffer(c, q, "a", cells, &cells_size));
  IS(OK, tiledb_query_submit(c, q));
  IS(OK, tiledb_query_get_status(c, q, &status));
  IS(COMPLETED, status);
  IS(OK, tiledb_query_get_fragment_num(c, q, &fragments));
  IS(1, fragments);
  IS(OK, tiledb_array_close(c, arr));
  REFUSED("is not open", tiledb_query_submit(c, q));
  tiledb_query_free(&q);
  tiledb_array_free(&arr);
}

/* Results that do not fit come in pieces; where not one cell fits, nothing comes, again and again. */
static void read_array(const char* uri) {
  int32_t low = 2, high = 4, outside = 5, cells[4], status = -1;
  uint64_t offsets[4], cells_size = 2 * sizeof *cells, offsets_size = sizeof offsets, text_size;
  char text[16];
  array* arr = NULL;
  query* q = NULL;
  subarray* sub = NULL;
  schema* sch = NULL;
  IS(OK, tiledb_array_alloc(c, uri, &arr));
  IS(OK, tiledb_array_open(c, arr, READ));
  REFUSED("not opened in write", tiledb_array_put_metadata(c, arr, "k", INT32, 1, &low));
  IS(OK, tiledb_subarray_alloc(c, arr, &sub));
  REFUSED("out of domain bounds", tiledb_subarray_add_range(c, sub, 0, &low, &outside, NULL));
  REFUSED("cannot be larger", tiledb_subarray_add_range(c, sub, 0, &high, &low, NULL));
  REFUSED("stride", tiledb_subarray_add_range(c, sub, 0, &low, &high, &low));
  REFUSED("dimension index", tiledb_subarray_add_range(c, sub, 1, &low, &high, NULL));
  IS(OK, tiledb_subarray_add_range(c, sub, 0, &low, &high, NULL));
  IS(OK, tiledb_query_alloc(c, arr, READ, &q));
  IS(OK, tiledb_query_set_data_buffer(c, q, "a", cells, &cells_size));
  REFUSED("must have a subarray", tiledb_query_submit(c, q));
  IS(OK, tiledb_query_set_subarray_t(c, q, sub));
  IS(OK, tiledb_query_submit(c, q));
  IS(OK, tiledb_query_get_status(c, q, &status));
  IS(INCOMPLETE, status);
  IS(8, cells_size);
  IS(20, cells[0]);
  IS(30, cells[1]);
  REFUSED("after the query was submitted", tiledb_query_set_layout(c, q, 1));
  REFUSED("after the query was submitted", tiledb_query_set_data_buffer(c, q, "s", text, &offsets_size));
  IS(OK, tiledb_query_submit(c, q));
  IS(OK, tiledb_query_get_status(c, q, &status));
  IS(COMPLETED, status);
  IS(4, cells_size);
  IS(40, cells[0]);
  tiledb_query_free(&q);

  IS(OK, tiledb_query_alloc(c, arr, READ, &q));
  IS(OK, tiledb_query_set_subarray_t(c, q, sub));
  text_size = 1;
  IS(OK, tiledb_query_set_data_buffer(c, q, "s", text, &text_size));
  REFUSED("Offsets buffer is not set", tiledb_query_submit(c, q));
  IS(OK, tiledb_query_set_offsets_buffer(c, q, "s", offsets, &offsets_size));
  for (int i = 0; i < 2; ++i) {
    IS(OK, tiledb_query_submit(c, q));
    IS(OK, tiledb_query_get_status(c, q, &status));
    IS(INCOMPLETE, status);
    IS(0, text_size);
    IS(0, offsets_size);
  }
  text_size = sizeof text;
  offsets_size = sizeof offsets;
  IS(OK, tiledb_query_set_data_buffer(c, q, "s", text, &text_size));
  IS(OK, tiledb_query_set_offsets_buffer(c, q, "s", offsets, &offsets_size));
  IS(OK, tiledb_query_submit(c, q));
  IS(OK, tiledb_query_get_status(c, q, &status));
  IS(COMPLETED, status);
  IS(5, text_size);
  IS(24, offsets_size);
  IS(0, memcmp(text, "bbccc", 5));
  IS(2, offsets[2]);
  tiledb_query_free(&q);

  condition *empty = NULL, *unknown = NULL;
  IS(OK, tiledb_query_alloc(c, arr, READ, &q));
  IS(OK, tiledb_query_condition_alloc(c, &empty));
  REFUSED("must not be empty", tiledb_query_set_condition(c, q, empty));
  IS(OK, tiledb_query_condition_alloc(c, &unknown));
  IS(OK, tiledb_query_condition_init(c, unknown, "nobody", &low, 4, 4));
  REFUSED("Cannot reinitialize", tiledb_query_condition_init(c, unknown, "a", &low, 4, 4));
  IS(OK, tiledb_query_set_condition(c, q, unknown));
  IS(OK, tiledb_query_set_subarray_t(c, q, sub));
  IS(OK, tiledb_query_set_data_buffer(c, q, "a", cells, &cells_size));
  REFUSED("Field doesn't exist", tiledb_query_submit(c, q));
  tiledb_query_condition_free(&empty);
  tiledb_query_condition_free(&unknown);
  tiledb_query_free(&q);
  tiledb_subarray_free(&sub);

  IS(OK, tiledb_array_close(c, arr));
  IS(OK, tiledb_array_close(c, arr)); /* twice is fine */
  REFUSED("Array is not open", tiledb_array_get_schema(c, arr, &sch));
  tiledb_array_free(&arr);
  IS(OK, tiledb_array_alloc(c, "/nowhere/at/all", &arr));
  IS(ERR, tiledb_array_open(c, arr, READ));
  IS(0, strcmp(last_error(), "[TileDB::Array] Error: Cannot open array; Array does not exist."));
  tiledb_array_free(&arr);
}

int main(int argc, char** argv) {
  int32_t major = 0, minor = 0, patch = -1;
  if (argc != 2) return 2; /* a folder that is not there yet */
  tiledb_version(&major, &minor, &patch);
  IS(2 * 10000 + 30 * 100, major * 10000 + minor * 100 + patch);
  IS(0, strncmp(tegula_capi_version(), "tegula ", 7));
  IS(OK, tiledb_ctx_alloc(NULL, &c));
  configs();
  wrong_handles();
  make_array(argv[1]);
  write_array(argv[1]);
  read_array(argv[1]);
  tiledb_ctx_free(&c);
  if (failures) fprintf(stderr, "%d failures\n", failures);
  return failures ? 1 : 0;
}
