/**
 * Prints the Homebrew formula of a release: node scripts/release/formula.ts TARBALL. The tarball is
 * that of `npm pack -w packages/cli`, which the release publishes under its file name.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

const tarball = process.argv[2];
const manifest = new URL('../../packages/cli/package.json', import.meta.url);
const { version, license } = JSON.parse(readFileSync(manifest, 'utf8'));
const home = 'https://github.com/lakehouse-search/lhs';
const sha256 = createHash('sha256').update(readFileSync(tarball)).digest('hex');
console.log(`class Lhs < Formula
  desc "Search index over lakehouse tables"
  homepage "${home}"
  url "${home}/releases/download/v${version}/${basename(tarball)}"
  sha256 "${sha256}"
  license "${license}"

  depends_on "node"

  def install
    system "npm", "install", *std_npm_args
    bin.install_symlink libexec.glob("bin/*")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/lhs --version")
    assert_match "equal", shell_output("#{bin}/lhs demo --data-dir #{testpath} --json")
  end
end`);
