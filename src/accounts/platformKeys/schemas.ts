import { z } from 'zod';
import { formMetadata, formText } from '../../kit/form';

/** The short names of video platforms (wire B.2). */
export const platforms = [
  ...['aws', 'brightcove', 'cloudfront', 'dacast', 'jw', 'kaltura', 'laola', 'livestream', 'ooyala', 'panopto'],
  ...['piksel', 'qbrick', 'sportradar', 'streamamg', 'vidyard', 'wistia', 'wowza'],
] as const;

/** One pair of keys, or any number by their own names. */
export const PlatformKeysBody = z.object({
  type: z.enum(platforms),
  public_key: formText({ max: 4000 }).optional(),
  private_key: formText({ max: 8000 }).optional(),
  keys: formMetadata().optional(),
});
