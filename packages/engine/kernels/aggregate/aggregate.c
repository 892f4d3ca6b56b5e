/* Counts and sums over the documents of a bitmap that have a value in a column. */
#include "kernel.h"
#include "words.h"
#include "counts.h"
#include "sums.h"
#include "doubles.h"
