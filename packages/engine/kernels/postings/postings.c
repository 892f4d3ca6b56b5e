/*
 * Encodes the postings of one term of a text field. Memory: postings/kernel-layout.ts. docs, freqs
 * and positions are addresses of i32; codes and widths of the length codes of documents, and of the
 * codes of the widths of their positions.
 */
#include "kernel.h"
#include "layout.h"
#include "pack.h"
#include "impacts.h"
#include "terms.h"
#include "best-docs.h"
#include "buckets.h"
#include "join.h"
