import { type IncomingHttpHeaders } from 'node:http';
import { type StoreName } from '../../src/adapters/appStores/store';
import { type MarketEvent } from './market';

export interface FaceRequest {
  method: string;
  /** Without the query. */
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface FaceAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

/** A notification as the store sends it to the app's server. */
export interface Sending {
  path: string;
  headers: Record<string, string>;
  body: string;
}

/** One store as the world sees it: its API, and its notifications. */
export interface Face {
  store: StoreName;
  /** Undefined: the path is not one of this store's. */
  answer(request: FaceRequest): FaceAnswer | undefined;
  /** Undefined: the store does not tell of this. */
  notify(event: MarketEvent): Sending | undefined;
}
