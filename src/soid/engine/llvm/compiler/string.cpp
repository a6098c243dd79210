// The functions of std::string, which the library's header declares and leaves to the library's binary. Compiled with a
// program that uses them, they are explored and replayed like the rest of it.
#include <string>

template class std::basic_string<char>;
