/** One step of the schema: pure SQL, forward only, in a transaction of its own. */
export interface Migration {
  name: string;
  up: string;
}
