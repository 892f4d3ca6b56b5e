/* The static embedding model: its vocabulary, sums of texts, their vectors. */
#include "kernel.h"
#include "layout.h"
#include "hash.h"
#include "sum.h"
#include "index.h"
#include "pieces.h"
#include "finish.h"
