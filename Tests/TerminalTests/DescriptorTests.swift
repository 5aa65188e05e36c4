import TestSupport
import Testing

/// Tests that open, close, fork and take signals, one after the other.
///
/// A process forked by one test holds the pipes of all others open for a moment, and how signals
/// are taken belongs to the whole process.
@Suite(.bounded, .serialized) enum DescriptorTests {}
