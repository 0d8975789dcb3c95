# SPDX-License-Identifier: GPL-3.0-or-later
# find_package(pathfdo), then pathfdo_use(PROFILE [TARGET...]): the targets, or all that follow in this folder, are compiled
# for the profile.  A profile that is not there yet changes nothing, so that the same build is recorded first.  The hard
# cases are a new profile: CMake configures again when the file comes to be or changes, and the flags have its hash; and
# interprocedural optimisation (-flto), where links need the flags, too: a program's, and that of whatever a static library
# comes into.
find_program(PATHFDO_COMMAND pathfdo HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../build")
set(pathfdo_FOUND FALSE)
if(PATHFDO_COMMAND)
	set(pathfdo_FOUND TRUE)
endif()

function(pathfdo_use profile)
	get_filename_component(file "${profile}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
	# A file that is not there cannot be depended on; whether there is one each build can look.
	file(GLOB found CONFIGURE_DEPENDS "${file}")
	if(NOT EXISTS "${file}")
		message(STATUS "pathfdo: there is no ${file} yet")
		return()
	endif()
	set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
	get_property(enabled GLOBAL PROPERTY ENABLED_LANGUAGES)
	foreach(language IN ITEMS C CXX)
		if(NOT language IN_LIST enabled)
			continue()
		endif()
		execute_process(COMMAND "${PATHFDO_COMMAND}" cflags "--cc=${CMAKE_${language}_COMPILER}" "${file}"
			OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE status ERROR_VARIABLE said)
		if(NOT status EQUAL 0)
			message(FATAL_ERROR "${said}")
		endif()
		separate_arguments(flags UNIX_COMMAND "${flags}")
		set(options "$<$<COMPILE_LANGUAGE:${language}>:${flags}>")
		set(link_options "")
		if(NOT CMAKE_VERSION VERSION_LESS 3.18) # knows LINK_LANGUAGE
			set(link_options "$<$<LINK_LANGUAGE:${language}>:${flags}>")
		endif()
		foreach(target IN LISTS ARGN)
			target_compile_options(${target} PRIVATE "${options}")
			get_target_property(type ${target} TYPE)
			set(scope PRIVATE)
			if(type MATCHES "STATIC|OBJECT")
				set(scope INTERFACE)
			endif()
			target_link_options(${target} ${scope} "${link_options}")
		endforeach()
		if(NOT ARGN)
			add_compile_options("${options}")
			add_link_options("${link_options}")
		endif()
	endforeach()
endfunction()
