/* Bitmaps of documents: their algebra, their documents, bits of a column's codes. */
#include "kernel.h"
#include "algebra.h"
#include "mark.h"
#include "compare.h"
