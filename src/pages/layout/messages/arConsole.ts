import { arCatalogue } from './console/ar/catalogue';
import { arEvents } from './console/ar/events';
import { arFrame } from './console/ar/frame';
import { arReports } from './console/ar/reports';
import { arSales } from './console/ar/sales';
import { arSettings } from './console/ar/settings';
import { type Catalogue } from './en';
import { type enConsole } from './enConsole';

/** The merchant's console, in Arabic: an area a file. */
export const arConsole: Catalogue<typeof enConsole> = {
  ...arFrame,
  ...arCatalogue,
  ...arSales,
  ...arReports,
  ...arSettings,
  ...arEvents,
};
