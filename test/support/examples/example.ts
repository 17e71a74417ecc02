import { type Endpoint } from '../../../src/kit/endpoint';
import { type Person } from '../factories';
import { type World } from '../world';

export interface ExampleRequest {
  params?: Record<string, string | number>;
  query?: Record<string, unknown>;
  body?: Record<string, unknown>;
  headers?: Record<string, string>;
  /** The body as it is, of an endpoint that takes one whole. */
  raw?: string | Buffer;
}

export interface Example {
  /** A request that succeeds for the caller, with what it needs made first. */
  request: (world: World, caller: Person) => ExampleRequest | Promise<ExampleRequest>;
  /**
   * The fields that name rows, as `params.id`, with whose those are: the merchant's, or the calling account's own. Each is
   * tried with a stranger's.
   */
  owned?: Record<string, 'merchant' | 'account'>;
  /** Fields that look like such names and are none, with the reason. */
  unowned?: Record<string, string>;
  /** Parameters of the path that may name nothing, with what that means. */
  forgiving?: Record<string, string>;
  /** Fields that may hold 90,000 characters. */
  roomy?: readonly string[];
  /** The code that everybody gets, because the settings of the tests do not have this part. */
  answers?: number;
  /**
   * The request ends the account or the sessions of its caller, or uses up a row that its merchant has once. It has a
   * caller of its own, and a merchant in its own tenant.
   */
  spends?: true;
}

export type Examples = Record<string, Example | readonly Example[]>;

const looksOwned = /(^|_)(id|uuid|token|reference|fee|by|as)$|ID$/;

/** The fields of an endpoint that look as if they named a row: all in the path, and by their names elsewhere. */
export function namesOfRows({ params, query, body }: Endpoint): string[] {
  const named = (where: string, shape: object = {}) =>
    Object.keys(shape)
      .filter((name) => where === 'params' || looksOwned.test(name))
      .map((name) => `${where}.${name}`);
  return [...named('params', params?.shape), ...named('query', query?.shape), ...named('body', body?.shape)];
}
