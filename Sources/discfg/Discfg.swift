import ArgumentParser
@main struct Discfg: AsyncParsableCommand {}
