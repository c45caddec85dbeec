// Node only: files and TLS. The rest of the package runs in browsers too.
export { FileFolder } from './node/file-folder.js';
export { freePorts } from './node/free-ports.js';
export { type SelfSigned, selfSignedCertificate } from './node/self-signed-certificate.js';
export { tlsClient } from './node/tls-client.js';
export { type RunningServer, serve } from './node/tls-server.js';
export { signAsIssuer, TokenOffice, tokenRoutes } from './node/token-office.js';
