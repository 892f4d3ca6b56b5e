import { describe, expect, it } from 'vitest';
import { createSecrets } from './secrets.ts';

describe('secrets', () => {
  it('are masked in texts, plain and in base64', () => {
    const { mask } = createSecrets('correct horse');
    expect(mask('password correct horse, again correcthorse')).toBe(
      'password ***, again correcthorse',
    );
    expect(mask(Buffer.from('correct horse').toString('base64'))).toMatch(/^\*{3}=*$/);
  });

  it('are masked alone if they are short: names that contain them stay readable', () => {
    const { mask } = createSecrets('lhs', 'a.b');
    expect(mask('there is no bucket "lhs-backups", lhs_2, alhs')).toBe(
      'there is no bucket "lhs-backups", lhs_2, alhs',
    );
    expect(mask('user=lhs: "lhs" a.b axb')).toBe('user=***: "***" *** axb');
  });
});
