// Links the reader of more mesh formats: one that the library itself does not know is known to it.
#include <tandem/assimp.h>

#include <stdio.h>

int main(void) {
    const bool known = td_assimp_format_known("scene.glb") && !td_mesh_format_known("scene.glb");
    printf("glb: %s\n", known ? "through assimp" : "not as expected");
    return known ? 0 : 1;
}
