/*
 * Scores of documents. A whole query of up to eight terms over all segments of an arena takes two
 * calls: `lookup` finds and weighs the terms; `query` opens them, intersects, scores, keeps the
 * best. Memory: engine/src/scoring/kernel/kernel-memory.ts.
 */
#include "kernel.h"
#include "layout.h"
#include "terms.h"
#include "unpack.h"
#include "ranges.h"

/* Bounds are widened by this against rounding, sums of many terms by less. */
#define UP 1.000000001
#define ROUNDING 1.000000000001
/* Lower bounds are narrowed by this. */
#define DOWN 0.999999999999
/* The next number above 1. */
#define NEXT 1.0000000000000002220446049250313

IMPORT(log) f64 log(f64 value);
/* Throws where the query has no time left. */
IMPORT(readClock) void readClock(void);
/* Whether a document of a segment comes after the page before. */
IMPORT(follows) i32 follows(i32 segment, i32 doc);
/* Offers a document of a segment to the caller; returns what a score has to reach then. */
IMPORT(offerFar) f64 offerFar(i32 segment, i32 doc, f64 score);

static i32 bestDocsOf(i32 ref);
static i32 isBlocked(i32 doc);
static i32 meetEach(i32 k, i32 n, i32 block, i32 scoring);
static f64 leastShare(i32 single, f64 rest);
static void scoreOthers(i32 i, i32 doc, i32 code, f64 score);
static f64 addShares(void);

#include "blocks.h"
#include "dictionary-block.h"
#include "lookup.h"
#include "open.h"
#include "score.h"
#include "best-docs.h"
#include "meet.h"
#include "block-bounds.h"
#include "survivors.h"
#include "join.h"
#include "dense.h"
#include "plan.h"
#include "count.h"
#include "read-ahead.h"
#include "run.h"
