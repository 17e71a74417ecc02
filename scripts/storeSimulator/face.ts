import { type IncomingHttpHeaders } from 'node:http';
import { type StoreName } from '../../src/adapters/appStores/store';
import { type MarketEvent } from './purchase';

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

/** The public interface of one store: its API and its notifications. */
export interface Face {
  store: StoreName;
  /** Undefined if the path does not belong to this store. */
  answer(request: FaceRequest): FaceAnswer | undefined;
  /** Undefined if the store sends no notification for this event. */
  notify(event: MarketEvent): Sending | undefined;
}

export const ok = (body: unknown): FaceAnswer => ({ status: 200, body });

export const bearerToken = ({ headers }: FaceRequest): string => headers.authorization?.replace('Bearer ', '') ?? '';
