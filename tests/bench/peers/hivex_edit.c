/* usage: hivex_edit BLOBS HIVE OUT     As hive_edit, with libhivex. */
#include <hivex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static hive_node_h child_of(hive_h* hive, hive_node_h parent, const char* name) {
  hive_node_h child = hivex_node_get_child(hive, parent, name);
  return child != 0 ? child : hivex_node_add_child(hive, parent, name);
}

int main(int argc, char** argv) {
  if (argc != 4) return 10;
  FILE* blobs = fopen(argv[1], "rb");
  hive_h* hive = hivex_open(argv[2], HIVEX_OPEN_WRITE);
  if (!blobs || !hive) return 1;
  hive_node_h store = hivex_root(hive);
  const char* path[] = {"Microsoft", "SystemCertificates", "ROOT", "Certificates"};
  for (int i = 0; i < 4; i++) {
    store = child_of(hive, store, path[i]);
    if (store == 0) return 2;
  }
  char name[41] = {0};
  unsigned char size[4];
  while (fread(name, 1, 40, blobs) == 40 && fread(size, 1, 4, blobs) == 4) {
    hive_set_value value = {0};
    char key[] = "Blob";
    value.key = key;
    value.t = hive_t_REG_BINARY;
    value.len = (size_t)size[0] | (size_t)size[1] << 8 | (size_t)size[2] << 16;
    value.value = malloc(value.len);
    if (!value.value || fread(value.value, 1, value.len, blobs) != value.len) return 3;
    hive_node_h node = hivex_node_add_child(hive, store, name);
    if (node == 0 || hivex_node_set_values(hive, node, 1, &value, 0) != 0) return 4;
    free(value.value);
  }
  fclose(blobs);
  if (hivex_commit(hive, argv[3], 0) != 0) return 5;
  return hivex_close(hive) == 0 ? 0 : 6;
}
