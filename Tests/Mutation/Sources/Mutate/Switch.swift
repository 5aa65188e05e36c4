/// The file that each mutated target gets.
let switchSource = """
  import Libc

  /// The mutant that is on; 0 for none.
  private let chosen = getenv("HISTCTL_MUTANT").flatMap { Int32(String(cString: $0)) } ?? 0

  /// A byte for each mutant, set once it is reached, in a file that several processes share.
  nonisolated(unsafe) private let reached: UnsafeMutablePointer<UInt8>? = {
    guard let path = getenv("HISTCTL_MUTANT_TRACE") else { return nil }
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return nil }
    let memory = mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)
    close(file)
    return memory == MAP_FAILED ? nil : memory?.assumingMemoryBound(to: UInt8.self)
  }()

  /// Whether a mutant is on.
  func mutant(_ number: Int32) -> Bool {
    if let reached { reached[Int(number)] = 1 }
    return chosen == number
  }

  """
