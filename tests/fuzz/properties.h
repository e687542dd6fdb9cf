// SPDX-License-Identifier: BSD-3-Clause
/// What must hold for any bytes: one function for each target, called by libFuzzer and by the replay of the seeds. Each
/// raises std::logic_error where its property does not hold.
#pragma once

#include <string_view>

namespace torchpatch::fuzz {

/// What parses is printed and parsed to the same value, and so is its reverse.
void check_parse_patch(std::string_view text);

/// A refused patch changes nothing and an accepted one leaves a well-formed tree, reads only touched_paths, and is
/// taken back exactly by its reverse. The input: for each file a line "MODE PATH SIZE" and SIZE bytes with a newline
/// behind them, an empty line, the patch.
void check_apply_patch(std::string_view input);

/// An archive is refused, or its members have paths that pass the rule, each once, and no more bytes than the limits.
/// Of a zip a program that goes by the headers alone reads the same.
void check_archive(std::string_view bytes);

/// An ELF file is refused, or what is said of it is in it: names, versions, functions in order, instructions.
void check_elf(std::string_view bytes);

/// Each kind of catalog file is a value or findings, which name lines of the file and print nothing raw; how the JSON
/// is laid out makes no difference; recorded data are written and read to the same. The input: a line with the kind
/// (release, board, moved, issue, patchset, proof, certificates, proofs, results), the file.
void check_catalog(std::string_view input);

/// A manifest is refused as data or unsafe, or written and read to the same bytes; every path in it passes the rule.
void check_manifest(std::string_view bytes);

/// What prepare --locked, verify, doctor and diff do with a manifest comes to an end or is an Error. The input: a
/// line for each value that stands in another's place in the manifest of a prepared tree: JSON pointer or number of the
/// place, the value.
void check_used_manifest(std::string_view input);

/// SHA256SUMS is refused, or written to the very bytes that were read.
void check_sums(std::string_view bytes);

/// Names, paths and URLs of what .gitmodules is read to are none that git has been fooled by.
void check_gitmodules(std::string_view bytes);

/// A tree object is refused, or its entries are in order, once each, and written to the very bytes that were read; each
/// has a path that the rule judges as the obvious implementation does.
void check_tree_object(std::string_view bytes);

/// A commit object is refused, or names its tree where its first line does.
void check_commit_object(std::string_view bytes);

/// Rows of a table of versions stand in the text, and are of the torch that is asked for.
void check_companion_rows(std::string_view text);

/// A build script of any bytes is read: every step is of a line and a shell that are there. The input: a line with the
/// file's name, the file.
void check_script(std::string_view input);

/// A loose object is refused, or has as many bytes as it declares; an honest one is read. The input: the file.
void check_loose_object(std::string_view bytes);

/// An index of a pack is refused, or finds every name that it lists and no other, at places inside the pack.
void check_pack_index(std::string_view bytes);

/// An object of a pack is refused, or is what libgit2 unpacks, in whatever order objects are read. The input: a line
/// with a word for each entry, "5" or "1+20", where the bytes behind a plus are deflated first; the bytes of all
/// entries. An object's id is 20 times its number, counted from one.
void check_foreign_pack(std::string_view input);

/// Markdown becomes HTML of allowed elements, attributes and schemes alone, properly nested, in bounded time.
void check_markdown_html(std::string_view markdown);

/// The path-and-mode rule agrees with an implementation that is slow and obvious. The input: a path, and after a NUL
/// byte the target of a link.
void check_path_rule(std::string_view input);

/// Versions are ordered totally, and a range holds for those that its comparisons hold for. The input: a line each of a
/// range and of versions.
void check_versions(std::string_view input);

/// JSON is refused with findings, or is what another parser reads, within the limits and with the right lines.
void check_json(std::string_view text);

/// A URL that is accepted is plain, stays accepted in its canonical form, and has a file path that passes the path
/// rule; none prints its password. The input: a URL, and on a second line one that is relative to it.
void check_url(std::string_view input);

/// What git writes of a fetch, which has a server's words in it: no login is in the errors that are found in it, and a
/// redirect in it is followed to the same server only. The input: stderr and the trace of HTTP at once.
void check_remote_words(std::string_view bytes);

/// Text that is quoted (for people, patches, shells; in hex and base64) is harmless and can be read back.
void check_quoting(std::string_view bytes);

/// What a hostile worker process sends is refused as source, or means values that exist. The input: the digit of the
/// kind (0 frames, 1 error, 2 tree of a repository, 3 values of the kinds on the first line), the bytes.
void check_worker_answer(std::string_view bytes);

/// A pack is refused, or its objects have the ids of their contents, and are written and read to the same. The input: a
/// pack without its checksum, which would stop every mutation.
void check_own_pack(std::string_view bytes);

/// The index of a bundle is refused as data, or written to the very bytes that were read.
void check_bundle_index(std::string_view bytes);

}  // namespace torchpatch::fuzz
