#include "CSQLiteSupport.h"
