# Headers that nearly every source includes, compiled once (option COX_PRECOMPILE, on in the preset
# quick). Measured with -O0: eight files of controller/ take 8 s instead of 17. With optimisation or
# sanitizers most of the time goes into generating code, and it saves nothing. The precompiled
# header contains the path of its clone, so clones share no objects of this preset through ccache.
option(COX_PRECOMPILE "precompile common/messages/messages.h and the standard library" OFF)

if(COX_PRECOMPILE)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
  add_library(cox_precompiled STATIC ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(cox_precompiled PRIVATE cox_options)
  target_precompile_headers(cox_precompiled PRIVATE
    ${CMAKE_SOURCE_DIR}/common/messages/messages.h <algorithm> <charconv> <deque> <functional> <map>
    <memory> <numeric> <ranges> <set> <unordered_map>)
endif()

# cox_precompiled_for(TARGET): compiles the target's sources with the precompiled headers.
function(cox_precompiled_for target)
  if(COX_PRECOMPILE)
    target_precompile_headers(${target} REUSE_FROM cox_precompiled)
  endif()
endfunction()
