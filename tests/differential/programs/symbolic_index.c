/* Loads and stores at places that inputs choose: a mutable array, an array of structs, two dimensions.
 * try: i = 0, 2, 3; j = 0, 1, 3; x = -1.5, 8.0
 * only: i = 0 .. 3; j = 0 .. 3
 * paths: 1
 */
struct cell { float weight; int hits; };

float decide(int i, int j, float x)
{
    float row[4] = { 1.0f, 2.0f, 3.0f, 4.0f };
    struct cell cells[4] = { { 0.5f, 1 }, { 1.5f, 2 }, { 2.5f, 3 }, { 3.5f, 4 } };
    int grid[4][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 }, { 9, 10, 11, 12 }, { 13, 14, 15, 16 } };
    row[i] = x;
    cells[j].hits += cells[i].hits;
    cells[i].weight = row[j];
    grid[i][j] += grid[j][i];
    return row[j] + cells[j].weight * (float)cells[i].hits + (float)grid[j][j];
}
