import type { CatalogConfig } from '@lakehouse-search/contract';
import type { SettingPath } from './settings.ts';

/**
 * Where the claims of an outside token are: the name of a claim, or a path into objects like
 * `realm_access.roles`.
 */
export interface ClaimPaths {
  /** Default: `sub`. */
  readonly subject?: string;
  /** Names of roles, as a list or separated by blanks. Absent: an admin gives the roles. */
  readonly roles?: string;
  /** Indexes that the caller may use. A token without this claim is refused. */
  readonly indexes?: string;
  /** The tenant. A token without this claim is refused. */
  readonly tenant?: string;
}

/** An issuer of tokens besides the server itself. */
export interface IssuerConfig {
  /** Precedes subjects: `okta:ann`. */
  readonly name: string;
  /** Value of the claim `iss`. */
  readonly issuer: string;
  /** Value of the claim `aud`. */
  readonly audience: string;
  /** The public keys. */
  readonly jwks: { readonly file: string } | { readonly url: string };
  readonly claims: ClaimPaths;
  /** Roles by the names that the issuer uses; other names permit nothing. Absent: our names. */
  readonly role_names?: Readonly<Record<string, string>>;
}

/** What definitions and requests from the network may name. */
export interface SourceNames {
  /** Catalogs, with absolute paths. */
  readonly catalogs: Readonly<Record<string, CatalogConfig>>;
  /** Folders, or URLs of an object store, below which `source.path` and `storage` may be. */
  readonly roots: Readonly<Record<string, string>>;
  /** Folders of models. */
  readonly models: Readonly<Record<string, string>>;
}

/** Who may use a server, and how much of it. */
export interface LicenseConfig {
  readonly licensee: string;
  /** null: no limit. */
  readonly nodes_limit: number | null;
}

/** The settings of a server: single values by path, then the named things. */
export interface ServerConfig {
  readonly values: Partial<Readonly<Record<SettingPath, string | number | boolean>>>;
  readonly names: SourceNames;
  readonly issuers: readonly IssuerConfig[];
  readonly license?: LicenseConfig;
}

/** The configuration of a server without a file. */
export const NO_CONFIG: ServerConfig = Object.freeze({
  values: {},
  names: { catalogs: {}, roots: {}, models: {} },
  issuers: [],
});
