/** A point in time: an index as it is now, for as long as it is used. */
export interface PointInTime {
  /** Not to be guessed, and of this index alone. */
  readonly pit_id: string;
  /** ISO-8601, UTC. Each use moves it on. */
  readonly expires_at: string;
  /** The table's snapshot that it shows. */
  readonly snapshot: string | null;
  readonly index_generation: number;
}
