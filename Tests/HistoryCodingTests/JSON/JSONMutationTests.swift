import HistoryCoding
import TestSupport
import Testing

@Suite(.bounded) struct JSONMutationTests {
  private static let samples = [
    #"{"schema":1,"type":"transaction","transaction":5,"timestamp":"2024-07-29T00:42:37.824189Z","timestampRaw":743906557.824189,"author":"widget","changes":[{"change":8,"kind":"update","attributes":["count","item"],"columnsRaw":"0c"},{"change":9,"tombstone":{"name":"Ir\u00f6n\n"}}]}"#,
    #"[0,-0.0,1e5,-1.5E-7,"\ud83d\ude00é\"\\",true,false,null,{},[[]],{"a":{"b":[]}}]"#,
  ]

  @Test
  func `JSON truncated at any position is refused`() {
    for sample in Self.samples {
      let bytes = Array(sample.utf8)
      for length in 0..<bytes.count {
        #expect(throws: JSONError.self) { try JSONReader().read(Array(bytes[..<length])) }
      }
    }
  }

  @Test
  func `values read from damaged JSON can be written and read again`() throws {
    var generator = SeededGenerator(seed: 31)
    let alphabet = Array("{}[]\",:\\u0dbfe+-.19tn \u{1}é\u{1F600}".utf8) + [0xFF, 0xC0]
    let samples = Self.samples.map { Array($0.utf8) }
    var readable = 0
    for _ in 0..<10_000 {
      var bytes = samples.randomElement(using: &generator) ?? []
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0..<bytes.count, using: &generator)
        let byte = alphabet.randomElement(using: &generator) ?? 0
        switch Int.random(in: 0...3, using: &generator) {
        case 0: bytes[place] = byte
        case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &generator)
        case 2: bytes.insert(byte, at: place)
        default: bytes.remove(at: place)
        }
      }
      guard let value = try? JSONReader().read(bytes) else { continue }
      readable += 1
      var writer = JSONWriter()
      writer.append(value)
      #expect(try JSONReader().read(Array(writer.bytes)) == value)
    }
    #expect(readable > 1000)
  }
}
