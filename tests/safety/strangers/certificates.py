"""A certificate authority for one test."""

import datetime as dt
import ipaddress
import ssl
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

# Python 3.13 asks for it.
_SIGNING = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=True,
    encipher_only=False,
    decipher_only=False,
)


class Authority:
    """Signs certificates; `trust` is a context that believes it, and nobody else."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _named("test authority")
        builder = self._builder(self._name, self._key)
        for extension in (x509.BasicConstraints(ca=True, path_length=None), _SIGNING):
            builder = builder.add_extension(extension, critical=True)
        self._certificate = builder.sign(self._key, hashes.SHA256())

    def trust(self) -> ssl.SSLContext:
        pem = self._certificate.public_bytes(serialization.Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def serving(self, host: str, *, is_expired: bool = False) -> ssl.SSLContext:
        """Return a server's context with a certificate for a name or an address."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = self._builder(_named("server"), key, is_expired=is_expired)
        names = x509.SubjectAlternativeName([_alternative(host)])
        signed = builder.add_extension(names, critical=False).sign(self._key, hashes.SHA256())
        path = self._folder / f"{host.replace(':', '_')}.pem"
        path.write_bytes(
            signed.public_bytes(serialization.Encoding.PEM)
            + key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
        )
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context

    def _builder(
        self, name: x509.Name, key: ec.EllipticCurvePrivateKey, *, is_expired: bool = False
    ) -> x509.CertificateBuilder:
        now = dt.datetime.now(dt.UTC)
        end = now + dt.timedelta(days=-1 if is_expired else 1)
        return (
            x509.CertificateBuilder()
            .subject_name(name)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=2))
            .not_valid_after(end)
            .add_extension(_identifier(key), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(
                    _identifier(self._key)
                ),
                critical=False,
            )
        )


def _identifier(key: ec.EllipticCurvePrivateKey) -> x509.SubjectKeyIdentifier:
    return x509.SubjectKeyIdentifier.from_public_key(key.public_key())


def _named(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
