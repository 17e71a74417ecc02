import { z } from 'zod';
import { formMetadata, formText } from '../../kit/form';

/** The short names of video platforms. */
export const platforms = [
  ...['aws', 'brightcove', 'cloudfront', 'dacast', 'jw', 'kaltura', 'laola', 'livestream', 'ooyala', 'panopto'],
  ...['piksel', 'qbrick', 'sportradar', 'streamamg', 'vidyard', 'wistia', 'wowza'],
] as const;

/** One pair of keys, or several named keys. */
export const PlatformKeysBody = z.object({
  type: z.enum(platforms),
  public_key: formText({ max: 4000 }).optional(),
  private_key: formText({ max: 8000 }).optional(),
  keys: formMetadata().optional(),
});
