# A template: packaging/formula fills in OWNER, VERSION and SHA256 for a release. It builds from
# source, so that the program is linked with the libraries of Homebrew. Checked by ruby only: neither
# brew audit nor an installation has been run.
class Histctl < Formula
  desc "Change history inside SwiftData and Core Data stores"
  homepage "https://github.com/OWNER/histctl"
  url "https://github.com/OWNER/histctl/archive/refs/tags/vVERSION.tar.gz"
  sha256 "SHA256"
  license "MIT"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.4", :build]
  depends_on macos: :sequoia
  depends_on "zstd"

  uses_from_macos "libarchive"
  uses_from_macos "swift" => :build
  uses_from_macos "sqlite"
  uses_from_macos "zlib"

  def install
    flags = OS.linux? ? ["--static-swift-stdlib"] : []
    system "swift", "build", "--disable-sandbox", "--configuration", "release", "--product", "histctl", *flags
    # Homebrew links programs itself and keeps its completions in these folders.
    ENV["PREFIX"] = prefix.to_s
    ENV["BASH_COMPLETIONS"] = bash_completion.to_s
    ENV["ZSH_COMPLETIONS"] = zsh_completion.to_s
    ENV["FISH_COMPLETIONS"] = fish_completion.to_s
    system "packaging/install", "install"
  end

  test do
    system bin/"histctl", "demo", testpath
    lines = shell_output("#{bin}/histctl log #{testpath}/trips.store -n 3 --json").lines
    assert_equal 3, lines.length
    assert_match '"type":"transaction"', lines.first
  end
end
