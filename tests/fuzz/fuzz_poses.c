// Pose files from bytes. What is read must be poses that the queries accept.
#include "contexts.h"

#include <tandem/io.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    td_pose *poses = NULL;
    size_t count = 0;
    const td_result result =
        td_read_pose_memory(&poses, &count, fuzz_context(), (const char *)data, size, "a");
    if (result == TD_OK) {
        fuzz_require(count > 0 && poses != NULL, "no poses");
        for (size_t i = 0; i < count; ++i) {
            fuzz_require(td_check_pose(&poses[i]) == TD_OK, "a pose that is none");
        }
        td_release_poses(poses, count, fuzz_context());
    } else {
        fuzz_require(td_error_message()[0] == 'a', "a message that does not name the file");
        fuzz_require(result == TD_ERROR_FORMAT || result == TD_ERROR_POSE, "an odd result");
    }
    return 0;
}
