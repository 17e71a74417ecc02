import { type Request, type Response } from 'express';
import { type RequestFacts } from '../endpoint';
import { type AppError } from '../errors';
import { type Html } from '../html';
import { type KitDependencies } from '../dependencies';
import { type Page, type Visit } from './page';
import { type Area, type KnownBrowser, type Visitor } from './session';

export interface PageParts extends KitDependencies {
  /** `https://pay.example.org`: where the service is reached. */
  origin: string;
  /** Signs page tokens; the same in every replica. */
  key: Buffer;
  /** Pictures may come by plain http: the test environment. */
  allowsPlainPictures: boolean;
  /** Throws `merchant_not_open` if the merchant waits for approval or is suspended. */
  refuseClosed(merchantUuid: string): Promise<void>;
  /** A page of ours that frames the merchant's HTML at an address. */
  frameForeign(visit: Visit, address: string): Html;
  /** What went wrong, as a page or as the part of one that was asked for. */
  showError(visit: Visit, error: AppError): Html;
}

/** One request for a page on its way to what is shown. */
export interface Context {
  parts: PageParts;
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

/** Browsers know the service by https. */
export const isSecure = ({ origin }: Pick<PageParts, 'origin'>) => origin.startsWith('https:');
