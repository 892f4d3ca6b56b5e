import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { Epochs } from './epochs.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-epochs-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('the epochs of writes', () => {
  it('refuse a writer whose lease was taken over, also after a restart', () => {
    const epochs = new Epochs(folder);
    epochs.admit('i', 3);
    epochs.admit('i', 3);
    epochs.admit('other', 1);
    for (const one of [epochs, new Epochs(folder, { holds: () => true })])
      expect(() => one.admit('i', 2)).toThrow('epoch 3 writes');
  });

  it('are needed where a control plane gives leases', () => {
    new Epochs(folder).admit('i', undefined);
    expect(() => new Epochs(folder, { holds: () => true }).admit('i', undefined)).toThrow(
      'need the lease',
    );
  });

  it('are fenced while the lease of the node itself has ended', () => {
    let held = false;
    const epochs = new Epochs(folder, { holds: () => held });
    const write = () => epochs.admit('leased', 5);
    expect(write).toThrow(expect.objectContaining({ code: 'fenced' }));
    held = true;
    epochs.admit('leased', 4);
    write();
    expect(() => epochs.admit('leased', 4)).toThrow('epoch 5 writes');
  });
});
