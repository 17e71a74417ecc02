import { type Request, type Response } from 'express';
import { type Caller } from '../auth';
import { type RequestFacts } from '../endpoint';
import { type AppError } from '../errors';
import { type Html } from '../html';
import { type KitDependencies } from '../dependencies';
import { type Confirmations } from './confirmation';
import { type Page, type SignedIn, type Visit } from './page';
import { type Area, type KnownBrowser, type Visitor } from './session';

export interface PageParts extends KitDependencies {
  /** The public address of the service: `https://pay.example.org`. */
  origin: string;
  /** The key that signs page tokens, the same in every replica. */
  key: Buffer;
  /** Whether pictures may load by http. The test environment allows it. */
  allowsPlainPictures: boolean;
  /** The names that the pages of the console show. */
  findSignedIn(caller: Caller): Promise<SignedIn>;
  /** Throws `merchant_not_open` if the merchant waits for approval or is suspended. */
  refuseClosed(merchantUuid: string): Promise<void>;
  /** Builds a page of ours with a frame that shows the merchant's HTML. */
  frameForeign(visit: Visit, address: string): Html;
  /** Asks for the confirmation that a call requires. */
  confirmations: Confirmations;
  /** Shows an error: as a page, or as a part of a page for htmx. */
  showError(visit: Visit, error: AppError): Html;
}

/** Whether a page can be opened at the path. */
export type HasPage = (path: string) => boolean;

/** A request for a page, before its handler runs. */
export interface Context {
  parts: PageParts;
  hasPage: HasPage;
  name: string;
  page: Page;
  request: Request;
  response: Response;
  facts: RequestFacts;
  area: Area;
  visitor: Visitor;
  browser: KnownBrowser;
  nonce: string;
}

/** Whether browsers reach the service by https. */
export const isSecure = ({ origin }: Pick<PageParts, 'origin'>) => origin.startsWith('https:');
