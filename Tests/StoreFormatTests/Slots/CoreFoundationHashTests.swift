import TestSupport
import Testing

@testable import StoreFormat

/// The hash, against numbers that a Python transcription of the published description gave.
@Suite(.bounded) struct CoreFoundationHashTests {
  @Test(
    arguments: [
      ("", 0), ("a", 0x426), ("ab", 0xb_fcd9), ("abc", 0x1ec4_9f71), ("abcd", 0x7_9c95_146e),
      ("abcde", 0xf5a_9ca2_cd74), ("_ek", 0x1eb2_96c2), ("_pk", 0x1eb2_fa25),
      ("_opt", 0x7_7b0e_4816), ("items", 0x1069_1c17_9707),
      ("destinationEntity", 0xfd3d_cc71_2a4c_9d30), ("Größe", 0xbf5_49d8_77f8),
      ("旅行", 0x20b_935f), ("🧳 trunk", 0xc303_e6b9_a295_078d),
      (String(repeating: "x", count: 31), 0x6dae_455f_7d34_c7a7),
      (String(repeating: "x", count: 32), 0x87da_319b_27d9_1e40),
      (String(repeating: "x", count: 96), 0xa48c_dd12_2afb_5ac0),
      (String(repeating: "x", count: 97), 0xb35b_2315_d5ea_2823),
      (
        String((0..<200).map { Character(Unicode.Scalar(UInt8(97 + $0 % 26))) }),
        0x87df_6640_5191_c590
      ),
      (String(repeating: "ü", count: 95), 0xa750_76ed_5381_dae3),
      (String(repeating: "🧳", count: 60), 0x91e8_1697_74a2_99a8),
    ] as [(String, UInt64)])
  func `hashes are those of the published description`(text: String, hash: UInt64) {
    #expect(CoreFoundationHash.hash(of: text) == hash)
  }
}
