#!/usr/bin/python3
"""Replaces `jupyter notebook` where it is not installed: serves the port, checks the token."""

import argparse
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlparse

TOKEN = os.environ["JUPYTER_TOKEN"]


class Notebook(BaseHTTPRequestHandler):
    def do_GET(self):
        given = parse_qs(urlparse(self.path).query).get("token")
        self.send_response(200 if given == [TOKEN] else 403)
        self.end_headers()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=["notebook"])
    parser.add_argument("--no-browser", action="store_true", required=True)
    parser.add_argument("--ip", required=True)
    parser.add_argument("--port", type=int, required=True)
    options = parser.parse_args()
    ThreadingHTTPServer((options.ip, options.port), Notebook).serve_forever()


main()
