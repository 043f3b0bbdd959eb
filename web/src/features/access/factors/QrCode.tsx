import { encode } from 'uqr';
import styles from './Factors.module.css';

/** The quiet zone around the code, in modules. */
const quiet = 4;

/** A text as a QR code, rendered in the page. It is dark on light in both schemes, since scanners expect that. */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { border: quiet });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : []))).join('');
  return (
    <svg className={styles.qr} role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges">
      <rect width={size} height={size} fill="white" />
      <path d={dark} fill="black" />
    </svg>
  );
}
