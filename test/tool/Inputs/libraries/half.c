int halved(int x) { return x / 2; }
