import { enCatalogue } from './console/en/catalogue';
import { enEvents } from './console/en/events';
import { enFrame } from './console/en/frame';
import { enReports } from './console/en/reports';
import { enSales } from './console/en/sales';
import { enSettings } from './console/en/settings';

/** The merchant's console, in English: an area a file. */
export const enConsole = {
  ...enFrame,
  ...enCatalogue,
  ...enSales,
  ...enReports,
  ...enSettings,
  ...enEvents,
} as const;
