/* new and delete, of one object and of arrays, with constructors; a list on the heap; what is deleted twice.
 *
 * try: n = 0, 1, 3
 * only: n = 0 .. 4
 */
struct Node {
    int value;
    Node *next;
    Node(int v, Node *n) : value(v), next(n) {}
    ~Node() { delete next; }
};

int decide(unsigned char n)
{
    Node *list = nullptr;
    for (int i = 0; i < n; i++)
        list = new Node(i, list);
    int *cells = new int[4]();
    cells[n & 3] = 5;
    int sum = cells[1];
    for (const Node *one = list; one != nullptr; one = one->next)
        sum += one->value;
    delete list;
    delete[] cells;
    if (n == 4)
        delete[] cells;
    return sum;
}
